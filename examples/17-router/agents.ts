/** A travel desk: a dispatcher at the door, and behind it a router over a tool, a workflow and a writer. */
import {
  createAgent,
  createDispatcher,
  createRouter,
  createTool,
  createWorkflow,
  type ChatModel,
} from 'troupe'
import { fromPromise } from 'xstate'
import { z } from 'zod'

export function createTravelDesk(model: ChatModel) {
  const writer = createAgent({
    id: 'writer',
    description: 'Writes a short text for travellers from facts that it is given.',
    instructions: 'You write for travellers, from the facts that you are given and nothing else.',
    model,
  })
  const planner = createRouter({
    id: 'trip-planner',
    description: 'Plans trips: looks up the weather, works out costs, and writes the plan.',
    instructions: 'You plan trips. Find out the weather and the costs first, then have the plan written.',
    model,
    memory: true,
    tools: { weather },
    workflows: { costs },
    agents: { writer },
    maxIterations: 5,
  })
  const complaints = createAgent({
    id: 'complaints',
    description: 'Answers travellers who are not content.',
    instructions: 'You answer complaints, briefly and kindly.',
    model,
  })
  return createDispatcher({
    id: 'reception',
    instructions: 'You are the reception of a travel agency.',
    model,
    agents: { planner, complaints },
  })
}

const weather = createTool({
  id: 'weather',
  description: 'The weather of a city in a month.',
  inputSchema: z.object({ city: z.string(), month: z.string() }),
  execute: ({ city, month }) => `${city} in ${month}: 14 degrees, some rain.`,
})

const costs = createWorkflow({
  id: 'costs',
  description: 'Works out what so many nights cost.',
  inputSchema: z.object({ nights: z.number().int().positive() }),
  logic: fromPromise(async ({ input }: { input: { nights: number } }) => ({ euros: input.nights * 120 })),
})
