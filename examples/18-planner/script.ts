/** What the model says offline. */
import type { Script } from '../support/scripted-server.ts'

const lunch = { id: 'lunch', goal: 'Find a place for lunch near the museum.', toolHint: 'agent-guide' }
const schedule = { id: 'schedule', goal: 'Write down the times of the day.' }

/** The museum and the train do not depend on one another. */
const first = [
  {
    id: 'train',
    goal: 'Find the first train.',
    toolHint: 'trains',
    args: { from: 'Hamburg', to: 'Lübeck' },
  },
  { id: 'museum', goal: 'Book the Harbour Museum.', toolHint: 'tickets', args: { museum: 'Harbour Museum' } },
  { ...lunch, dependsOn: ['museum'] },
  { ...schedule, dependsOn: ['train', 'lunch'] },
]

/** What remains once the museum is sold out; the train stands. */
const second = [
  {
    id: 'other-museum',
    goal: 'Book the Salt Museum instead.',
    toolHint: 'tickets',
    args: { museum: 'Salt Museum' },
  },
  { ...lunch, dependsOn: ['other-museum'] },
  { ...schedule, dependsOn: ['train', 'other-museum', 'lunch'] },
]

export const script: Script = {
  'You plan day trips': ({ prompt }) => {
    if (prompt.includes('plan it first')) return JSON.stringify({ steps: first })
    if (prompt.includes('The plan must be revised')) return JSON.stringify({ steps: second })
    if (prompt.includes('Carry out the step "schedule"')) {
      return JSON.stringify({ answer: '08:12 train, 11:00 museum, 13:00 lunch.' })
    }
    return 'Take the train at 08:12. The Harbour Museum is sold out, so you have tickets for the Salt Museum at 11:00. Lunch is at the Old Granary.'
  },
  'You are a local guide': ({ prompt }) =>
    prompt.includes('Salt Museum') ? 'The Old Granary is next to the Salt Museum.' : 'Try the market.',
}
