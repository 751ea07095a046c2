/** A parcel service: a dispatcher that sorts requests between two agents and a tool. */
import { createAgent, createDispatcher, createTool, type ChatModel } from 'troupe'
import { z } from 'zod'

export const offer = z.object({ country: z.string(), euros: z.number() })

export function createParcelDesk(model: ChatModel) {
  const prices = createAgent({
    id: 'prices',
    description: 'Says what it costs to send a parcel to a country.',
    instructions: 'You know the prices: 12 euros within Europe, 30 beyond.',
    model,
    structuredOutput: { schema: offer },
  })
  const complaints = createAgent({
    id: 'complaints',
    description: 'Answers customers who are not content.',
    instructions: 'You answer complaints, briefly and kindly.',
    model,
  })
  return createDispatcher({
    id: 'desk',
    instructions: 'You are the desk of a parcel service.',
    model,
    agents: { prices, complaints },
    tools: { track },
  })
}

const track = createTool({
  id: 'track',
  description: 'Where a parcel is, by its number.',
  inputSchema: z.object({ parcel: z.string() }),
  execute: ({ parcel }) => `Parcel ${parcel} is in Hamburg.`,
})
