/** What the model says offline: a first plan, another one when it is rejected, and the answer. */
import type { Script } from '../support/scripted-server.ts'

const booking = (id: string, what: string, ...dependsOn: string[]) => ({
  id,
  goal: `Book the ${what}.`,
  toolHint: 'book',
  args: { what, persons: 2 },
  dependsOn,
})

const byPlane = [booking('flight', 'flight'), booking('museum', 'Salt Museum', 'flight')]
const byTrain = [booking('train', 'train'), booking('museum', 'Salt Museum', 'train')]

export const script: Script = {
  'You plan day trips': ({ prompt }) => {
    if (prompt.includes('rejected the plan')) return JSON.stringify({ steps: byTrain })
    if (prompt.includes('plan it first')) return JSON.stringify({ steps: byPlane })
    return 'Three of you go by train, and the Salt Museum is booked.'
  },
}
