/** A planner of trips, who has a scout look up the fares. */
import { createAgent, createSupervisor, createTool, type ChatModel } from 'troupe'
import { z } from 'zod'

export function createPlanner(model: ChatModel) {
  const fares = createTool({
    id: 'fares',
    description: 'The fares of today, in euros.',
    inputSchema: z.object({ from: z.string(), to: z.string() }),
    execute: () => ({ train: 59, plane: 140 }),
  })
  const scout = createAgent({
    id: 'scout',
    description: 'Finds out what a trip costs.',
    instructions: 'You are the scout. Look up the fares, then name them in one sentence.',
    model,
    tools: { fares },
  })
  return createSupervisor({
    id: 'planner',
    instructions: 'You plan trips: ask the scout for fares, then say in one sentence how to travel.',
    model,
    agents: { scout },
  })
}
