/** A guide who looks opening hours up. */
import { createAgent, createTool, type ChatModel } from 'troupe'
import { z } from 'zod'

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

const openingHours = createTool({
  id: 'openingHours',
  description: 'The opening hours of a day.',
  inputSchema: z.object({ day: z.string() }),
  execute: ({ day }) => (day === 'Monday' ? { day, closed: true } : { day, from: '10:00', to: '18:00' }),
})
