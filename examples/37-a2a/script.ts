/** What the model says offline. */
import type { Script } from '../support/scripted-server.ts'

export const script: Script = {
  'You are the office': ({ number }) => {
    if (number === 0) return [{ name: 'depth', args: { berth: 4 } }]
    if (number === 1) return [{ name: 'admit', args: { ship: 'Aurora', berth: 4 } }]
    return 'The Aurora may enter berth 4, which is 9 metres deep.'
  },
}
