/** A travel bureau: a scout looks for trains, and the bureau books when the traveller has approved it. */
import { createAgent, createSupervisor, createTool, type ChatModel } from 'troupe'
import { z } from 'zod'

export function createBureau(model: ChatModel) {
  const trains = createTool({
    id: 'trains',
    description: 'Lists the trains to a place.',
    inputSchema: z.object({ to: z.string() }),
    execute: ({ to }) => [{ train: 'IC 17', to, leaves: '09:12', euros: 39 }],
  })
  const book = createTool({
    id: 'book',
    description: 'Books a seat.',
    inputSchema: z.object({ train: z.string(), euros: z.number() }),
    requireApproval: true,
    execute: ({ train }) => ({ train, seat: '61A' }),
  })
  const scout = createAgent({
    id: 'scout',
    description: 'Knows the trains.',
    instructions: 'You are the scout. Look for trains, and name the best one.',
    model,
    tools: { trains },
  })
  return createSupervisor({
    id: 'bureau',
    instructions: 'You run a travel bureau. Ask the scout for a train before you book it.',
    model,
    agents: { scout },
    tools: { book },
  })
}
