/** What the model says offline. */
import type { Script } from '../support/scripted-server.ts'

export const script: Script = {
  'You coordinate research and writing': ({ number }) => {
    if (number === 0) return [{ name: 'agent-researcher', args: { prompt: 'Find facts on tides.' } }]
    if (number === 1) return 'Tides come and go.'
    if (number === 2)
      return [{ name: 'agent-writer', args: { prompt: 'Write on tides: twice a day, by the moon.' } }]
    return 'The tides come twice a day, and the moon pulls them [1].'
  },
  'You find facts in the archive': ({ number }) =>
    number === 0 ? [{ name: 'archive', args: { subject: 'Tides' } }] : 'Twice a day, by the moon [1].',
  'You write one paragraph from facts': () => 'Twice a day the sea rises, pulled by the moon [1].',
}
