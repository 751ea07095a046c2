/** What the model says offline. The desk chooses a decision only once there is such a type of task. */
import type { Script } from '../support/scripted-server.ts'

const type = (taskType: string, rationale: string) => JSON.stringify({ taskType, rationale })
const pattern = (name: string, rationale: string) => JSON.stringify({ pattern: name, rationale })

export const script: Script = {
  'You are the front desk': ({ task, prompt }) => {
    if (prompt.includes('Which type of task')) {
      if (task.includes('risk')) return type('risk-assessment', 'It asks how safe a supplier is.')
      if (task.includes('Shorten')) return type('summarisation', 'There is a text to be shortened.')
      return prompt.includes('- decision:')
        ? type('decision', 'They must do it or leave it.')
        : type('general', 'No other type fits.')
    }
    if (prompt.includes('"risk-assessment"')) {
      return pattern('supervisor', 'Money and law can be looked into side by side.')
    }
    return prompt.includes('"decision"')
      ? pattern('debate', 'Much speaks for it, and much against it.')
      : pattern('react', 'One analyst will do.')
  },
  'You are the-analyst.': ({ prompt }) =>
    prompt.includes('Shorten') ? 'The harvest was late.' : 'A shop in the harbour would be seen by many.',
  'You lead a team': ({ prompt }) =>
    prompt.startsWith('Divide the task')
      ? JSON.stringify({
          goals: [
            { goal: 'How sound are the finances of Heron Ltd?', agent: 'finance', context: null },
            { goal: 'Is Heron Ltd in any lawsuit?', agent: 'legal', context: null },
          ],
        })
      : 'Heron Ltd is a safe supplier: it is solvent and in no lawsuit. We are fairly sure.',
  'You are the-analyst-for-finance': () => 'Heron Ltd is solvent.',
  'You are the-analyst-for-law': () => 'Heron Ltd is in no lawsuit.',
  'You chair a panel': () => 'Yes, for the summer; a rent of more than 900 euros would change my mind.',
  'You are the-advocate': () => 'Yes: it is where the visitors are.',
  'You are the-critic': ({ prompt }) =>
    prompt.includes('You proposed') ? 'In summer, if at all.' : 'No: the rent is high.',
}
