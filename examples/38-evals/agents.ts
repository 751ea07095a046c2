/** A guide who looks opening hours up, and an editor whose notices a judge must accept. */
import { createAgent, createScorer, createSupervisor, createTool, type ChatModel } from 'troupe'
import { z } from 'zod'
import type { Judge } from './scorers.ts'

/** Its instructions before and after a change. */
export const instructions = {
  before: 'You are the guide of a museum. Look opening hours up.',
  after:
    'You are the careful guide of a museum. Look opening hours up. Read them twice. Answer in one sentence.',
}

export function createGuide(model: ChatModel, version: keyof typeof instructions) {
  return createAgent({
    id: 'guide',
    instructions: instructions[version],
    model,
    tools: { openingHours },
  })
}

/** Each answer goes to the judge before it counts. */
export function createEditor(model: ChatModel, judge: Judge) {
  return createSupervisor({
    id: 'editor',
    instructions: 'You are the editor of the notices of a museum. Your answer is the notice alone.',
    model,
    completion: {
      scorers: [
        createScorer({ id: 'names-the-entrance', score: judge('Does it say which entrance is open?') }),
      ],
    },
  })
}

const openingHours = createTool({
  id: 'openingHours',
  description: 'The opening hours of a day.',
  inputSchema: z.object({ day: z.string() }),
  execute: ({ day }) => (day === 'Monday' ? { day, closed: true } : { day, from: '10:00', to: '18:00' }),
})
