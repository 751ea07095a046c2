/** A reviewer of changes: it answers as data, whether it approves, and why. */
import { createAgent, type ChatModel } from 'troupe'
import { z } from 'zod'

export function createReviewer(model: ChatModel) {
  return createAgent({
    id: 'reviewer',
    description: 'Reviews a change.',
    instructions: 'You review changes. Say whether you approve, and why.',
    model,
    structuredOutput: { schema: z.object({ approves: z.boolean(), because: z.string() }) },
  })
}

export type Reviewer = ReturnType<typeof createReviewer>
