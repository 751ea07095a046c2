/** What the model says offline. */
import type { Script } from '../support/scripted-server.ts'

export const script: Script = {
  'You are the harbour master': ({ number }) => {
    if (number === 0) return [{ name: 'agent-pilot', args: { prompt: 'How deep is berth 4?' } }]
    if (number === 1) return [{ name: 'admit', args: { ship: 'Aurora', berth: 4 } }]
    return 'The Aurora may enter berth 4, which is 9 metres deep.'
  },
  'You are the pilot': ({ number }) =>
    number === 0 ? [{ name: 'measure', args: { berth: 4 } }] : 'Berth 4 is 9 metres deep.',
}
