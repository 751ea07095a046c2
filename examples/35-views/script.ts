/** What the model says offline. */
import type { Script } from '../support/scripted-server.ts'

export const script: Script = {
  'You run the kitchen': ({ number }) => {
    if (number === 0) return [{ name: 'agent-buyer', args: { prompt: 'What do leeks and potatoes cost?' } }]
    if (number === 1) return [{ name: 'order', args: { leeks: 4, potatoes: 6 } }]
    return 'Soup for forty is on the menu: 24 euros of leeks and potatoes come at noon.'
  },
  'You are the buyer': ({ number }) =>
    number === 0
      ? [
          { name: 'price', args: { of: 'leeks' } },
          { name: 'price', args: { of: 'potatoes' } },
        ]
      : 'Leeks cost 3 euros a kilo, potatoes 2.',
}
