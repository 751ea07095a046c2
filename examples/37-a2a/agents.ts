/** A harbour office whose clerk may let a ship in when a person agrees. */
import { createAgent, createTool, type ChatModel } from 'troupe'
import { z } from 'zod'

export function createOffice(model: ChatModel) {
  return createAgent({
    id: 'harbour-office',
    description: 'Lets ships into the harbour.',
    instructions: 'You are the office of a harbour.',
    model,
    tools: { depth, admit },
  })
}

const depth = createTool({
  id: 'depth',
  description: 'The depth of a berth, in metres.',
  inputSchema: z.object({ berth: z.number() }),
  execute: ({ berth }) => ({ berth, metres: 9 }),
})

const admit = createTool({
  id: 'admit',
  description: 'Lets a ship in.',
  inputSchema: z.object({ ship: z.string(), berth: z.number() }),
  requireApproval: true,
  execute: ({ ship, berth }) => `${ship} may enter berth ${berth}`,
})
