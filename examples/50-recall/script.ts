/** What the model says offline: the passage that it was shown, or that it has none. */
import type { Script } from '../support/scripted-server.ts'

export const script: Script = {
  'You answer from the notes of the customer.': ({ task }) => {
    const [, found] = /<passage id="[^"]*">\n(.*)\n/.exec(task) ?? []
    return found === undefined ? 'There is no note on that.' : `Your note says: ${found}`
  },
}
