/** What the model says offline. */
import type { Script } from '../support/scripted-server.ts'

export const script: Script = {
  'You are the desk': ({ number, results }) => {
    if (number === 0) return [{ name: 'draw', args: { name: 'sales', points: [1, 2, 4, 3, 6, 9] } }]
    if (number === 1)
      return [{ name: 'agent-analyst', args: { prompt: 'What does it show?', files: ['sales.png'] } }]
    return `The analyst says: ${results[0]}`
  },
  'You are the analyst': () => 'Sales rise, with one dip in the fourth month.',
}
