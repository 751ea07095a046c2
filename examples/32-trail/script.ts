/** What the model says offline. */
import type { Script } from '../support/scripted-server.ts'

export const script: Script = {
  'You answer complaints': ({ number }) => {
    if (number === 0) return [{ name: 'agent-cashier', args: { prompt: 'Pay 40 euros back.' } }]
    if (number === 1) return [{ name: 'agent-clerk', args: { prompt: 'What of order 17?' } }]
    if (number === 2) return [{ name: 'agent-cashier', args: { prompt: 'Pay 40 euros back for order 17.' } }]
    return 'Your parcel is lost. You get your 40 euros back.'
  },
  'You are the clerk': ({ number }) =>
    number === 0 ? [{ name: 'order', args: { number: '17' } }] : 'Order 17 has not arrived.',
  'You are the cashier': () => 'The 40 euros are on their way.',
}
