/** What the model says offline. */
import type { Script } from '../support/scripted-server.ts'

export const script: Script = {
  'You are the desk': ({ number }) => {
    if (number === 0) return [{ name: 'agent-clerk', args: { prompt: 'How does order 17 stand?' } }]
    if (number === 1) return [{ name: 'pay-back', args: { order: 17 } }]
    return 'Order 17 was not delivered, and is paid back.'
  },
  'You are the clerk': ({ number }) =>
    number === 0 ? [{ name: 'look-up', args: { order: 17 } }] : 'Order 17, of 40, is not delivered.',
}
