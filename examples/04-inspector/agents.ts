/** A shop whose answers are checked against the stock. */
import { createAgent, createSupervisor, createTool, type ChatModel } from 'troupe'
import { z } from 'zod'

export function createShop(model: ChatModel) {
  const clerk = createAgent({
    id: 'clerk',
    description: 'Knows what is in stock.',
    instructions: 'You are the stock clerk. Look it up before you answer.',
    model,
    tools: { stock },
  })
  return createSupervisor({
    id: 'shop',
    instructions: 'You run the shop. Ask the clerk what is in stock, then reply to the customer.',
    model,
    agents: { clerk },
  })
}

const stock = createTool({
  id: 'stock',
  description: 'Says how many of an article are in stock.',
  inputSchema: z.object({ article: z.string() }),
  execute: ({ article }) => ({ article, count: article.includes('lamp') ? 3 : 0 }),
})
