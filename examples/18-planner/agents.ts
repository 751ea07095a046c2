/** A travel agent that plans: two tools and a guide, of which the plan says who comes when. */
import { createAgent, createPlanner, createTool, type ChatModel } from 'troupe'
import { z } from 'zod'

export function createTravelAgent(model: ChatModel) {
  const guide = createAgent({
    id: 'guide',
    description: 'Knows where to eat in any town.',
    instructions: 'You are a local guide. Name one place, in one sentence.',
    model,
  })
  return createPlanner({
    id: 'travel',
    instructions: 'You plan day trips: trains, a museum, lunch. Book what can be booked.',
    model,
    tools: { trains, tickets },
    agents: { guide },
  })
}

const trains = createTool({
  id: 'trains',
  description: 'The first train of the day between two towns.',
  inputSchema: z.object({ from: z.string(), to: z.string() }),
  execute: ({ from, to }) => ({ from, to, departs: '08:12', arrives: '09:40' }),
})

const tickets = createTool({
  id: 'tickets',
  description: 'Books two tickets for a museum.',
  inputSchema: z.object({ museum: z.string() }),
  execute: ({ museum }) => {
    if (museum === 'Harbour Museum') throw new Error('The Harbour Museum is sold out.')
    return { museum, entry: '11:00' }
  },
})
