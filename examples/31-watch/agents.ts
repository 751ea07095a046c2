/** A harbour master who has the depth of a berth measured, and asks a person before a ship is let in. */
import { createAgent, createSupervisor, createTool, type ChatModel } from 'troupe'
import { z } from 'zod'

export function createHarbour(model: ChatModel) {
  const measure = createTool({
    id: 'measure',
    description: 'Measures the depth of a berth, in metres.',
    inputSchema: z.object({ berth: z.number() }),
    execute: ({ berth }) => ({ berth, metres: 9 }),
  })
  const admit = createTool({
    id: 'admit',
    description: 'Lets a ship in.',
    inputSchema: z.object({ ship: z.string(), berth: z.number() }),
    requireApproval: true,
    execute: ({ ship, berth }) => `${ship} may enter berth ${berth}.`,
  })
  const pilot = createAgent({
    id: 'pilot',
    description: 'Knows the berths.',
    instructions: 'You are the pilot. Measure the berth, then say its depth in one sentence.',
    model,
    tools: { measure },
  })
  return createSupervisor({
    id: 'harbour',
    instructions: 'You are the harbour master. Ask the pilot about the berth, then let the ship in.',
    model,
    agents: { pilot },
    tools: { admit },
  })
}
