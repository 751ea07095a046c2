/** What the model says offline: it loads a skill, reads the table beside it, and answers. */
import type { Script } from '../support/scripted-server.ts'

const skill = 'tide-tables'

export const script: Script = {
  'You advise ships.': ({ number }) => {
    if (number === 0) return [{ name: 'load-skill', args: { name: skill } }]
    if (number === 1) return [{ name: 'read-skill-file', args: { name: skill, path: 'references/ports.md' } }]
    return 'Pass at 04:10: the bar has 6.2 m, and you need 5.5 m.'
  },
}
