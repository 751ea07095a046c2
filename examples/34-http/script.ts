/** What the model says offline. */
import type { Script } from '../support/scripted-server.ts'

export const script: Script = {
  'You are a travel desk': ({ number }) => {
    if (number === 0) return [{ name: 'find', args: { to: 'Bergen' } }]
    if (number === 1) return [{ name: 'book', args: { train: 'IC 17', seat: 'window' } }]
    return 'Your seat to Bergen is booked: train IC 17 at 09:12.'
  },
}
