/** The desk of a shop in two versions: the second must know the order before it pays anything back. */
import { createAgent, createTool, type ChatModel } from 'troupe'
import { z } from 'zod'

const refund = createTool({
  id: 'refund',
  description: 'Pays an order back.',
  inputSchema: z.object({ order: z.string() }),
  execute: ({ order }) => `${order} is paid back.`,
})

export function createDesk(model: ChatModel, version: 'eager' | 'careful') {
  return createAgent({
    id: 'desk',
    instructions: `You are the ${version} desk of a shop. Pay back what customers send back.`,
    model,
    tools: { refund },
    memory: true,
  })
}
