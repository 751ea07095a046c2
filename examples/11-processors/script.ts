/** What the model says offline. */
import type { Script } from '../support/scripted-server.ts'

export const script: Script = {
  'You are the support desk': ({ prompt }) => {
    if (prompt.includes('lamp')) return 'We guarantee that it arrives tomorrow, without fail!'
    if (prompt.includes('Promise nothing'))
      return 'It usually arrives the next day. Questions go to jo@shop.example.'
    return 'The amount went to your card. My colleague jo@shop.example can send you a receipt.'
  },
}
