/** What the model says offline. */
import type { Script } from '../support/scripted-server.ts'

export const script: Script = {
  'You handle orders': ({ number, results }) => {
    switch (number) {
      case 0:
        return [{ name: 'reserve', args: { article: 'desk lamp' } }]
      case 1:
        return [{ name: 'charge', args: { euros: 89.9 } }]
      case 2:
        return [{ name: 'ship', args: { receipt: results[0] ?? '' } }]
      default:
        return 'The desk lamp is paid and on its way.'
    }
  },
}
