/** What the model says offline. One of the four investigators answers without a source, and fails. */
import type { Script } from '../support/scripted-server.ts'

const look = (name: string) => [{ name, args: { company: 'Company X' } }]

export const script: Script = {
  'You receive questions': ({ prompt }) =>
    prompt.includes('Which type of task')
      ? JSON.stringify({
          taskType: 'risk-assessment',
          rationale: 'It asks for the risks of working with a company.',
        })
      : JSON.stringify({
          pattern: 'supervisor',
          rationale: 'Four dimensions that can be looked into side by side.',
        }),
  'You lead a team': ({ prompt }) =>
    prompt.startsWith('Divide the task') ? JSON.stringify({ goals }) : JSON.stringify(assessment),
  'You are an investigator': ({ prompt, number }) => {
    if (prompt.includes('financial')) {
      return number === 0
        ? look('figures')
        : 'Few debts stand against much equity. [source: annual report 2025]'
    }
    if (prompt.includes('filings')) {
      return number === 0
        ? look('registers')
        : 'No sanctions; one lawsuit, about a warehouse. [source: commercial register]'
    }
    if (prompt.includes('sentiment')) return number === 0 ? look('headlines') : 'People say that it is fine.'
    return number === 0
      ? look('suppliers')
      : 'Seven tenths of its grain come from one supplier. [source: supply chain database]'
  },
}

const goal = (goal: string, group: string) => ({
  goal,
  agent: 'investigator',
  context: null,
  toolGroups: [group],
})

const goals = [
  goal('Analyse the financial health and stability of Company X.', 'financial'),
  goal('Review regulatory filings, sanctions and legal exposure of Company X.', 'legal'),
  goal('Analyse news sentiment and public reputation of Company X.', 'reputational'),
  goal('Assess supply chain dependencies and operational risks of Company X.', 'operational'),
]

const assessment = {
  verdict:
    'A sound partner with one dependency to be watched. Its reputation could not be assessed: that investigation failed.',
  dimensions: [
    { dimension: 'financial', risk: 'low', confidence: 0.9, finding: 'Few debts, much equity.' },
    { dimension: 'legal', risk: 'low', confidence: 0.8, finding: 'No sanctions, one small lawsuit.' },
    { dimension: 'reputational', risk: 'unknown', confidence: 0, finding: 'Not assessed.' },
    { dimension: 'operational', risk: 'medium', confidence: 0.7, finding: 'Depends on one supplier.' },
  ],
}
