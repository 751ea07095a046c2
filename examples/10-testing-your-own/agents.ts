/** The agent under test: to it the refund is a tool. */
import { createAgent, createWorkflow, type ChatModel } from 'troupe'
import { z } from 'zod'
import { refund } from './refund.ts'

export function createDesk(model: ChatModel) {
  return createAgent({
    id: 'desk',
    instructions: 'You refund orders. Say what has come of it.',
    model,
    workflows: {
      refund: createWorkflow({
        id: 'refund',
        description: 'Refunds an order.',
        inputSchema: z.object({ order: z.string(), euros: z.number() }),
        logic: refund,
      }),
    },
  })
}
