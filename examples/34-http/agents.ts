/** A travel desk that looks up a train, and asks a person before it books. */
import { createAgent, createTool, type ChatModel } from 'troupe'
import { z } from 'zod'

export function createTravelDesk(model: ChatModel) {
  const find = createTool({
    id: 'find',
    description: 'Finds the next train.',
    inputSchema: z.object({ to: z.string() }),
    execute: ({ to }) => ({ train: 'IC 17', to, leaves: '09:12', euros: 39 }),
  })
  const book = createTool({
    id: 'book',
    description: 'Books a seat.',
    inputSchema: z.object({ train: z.string(), seat: z.enum(['window', 'aisle']) }),
    requireApproval: true,
    execute: ({ train, seat }) => ({ train, seat, place: seat === 'window' ? '61A' : '61B' }),
  })
  return createAgent({
    id: 'travel',
    instructions: 'You are a travel desk. Find the next train, book a seat on it, and say where it is.',
    model,
    tools: { find, book },
  })
}
