/** The agent. Its refunds wait for a person. */
import { createAgent, createTool, type ChatModel } from 'troupe'
import { z } from 'zod'

export function createSupport(model: ChatModel) {
  const refund = createTool({
    id: 'refund',
    description: 'Pays the price of an order back.',
    inputSchema: z.object({ order: z.string(), euros: z.number().positive() }),
    requireApproval: true,
    execute: ({ order, euros }) => ({ receipt: `R-${order}`, euros }),
  })
  return createAgent({
    id: 'support',
    instructions: 'You are the support desk of a shop. Pay money back where goods are broken.',
    model,
    tools: { refund },
  })
}
