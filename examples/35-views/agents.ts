/** A kitchen: a buyer finds prices, and a cook who orders needs the approval of a person. */
import { createAgent, createSupervisor, createTool, type ChatModel } from 'troupe'
import { z } from 'zod'

export function createKitchen(model: ChatModel) {
  const price = createTool({
    id: 'price',
    description: 'Finds the price of a kilo.',
    inputSchema: z.object({ of: z.string() }),
    execute: ({ of }) => ({ of, euros: of === 'leeks' ? 3 : 2 }),
  })
  const order = createTool({
    id: 'order',
    description: 'Orders vegetables.',
    inputSchema: z.object({ leeks: z.number(), potatoes: z.number() }),
    requireApproval: true,
    execute: () => 'It comes at noon.',
  })
  const buyer = createAgent({
    id: 'buyer',
    description: 'Knows the prices of the market.',
    instructions: 'You are the buyer. Look prices up, then name them.',
    model,
    tools: { price },
  })
  return createSupervisor({
    id: 'kitchen',
    instructions: 'You run the kitchen. Ask the buyer for prices before you order.',
    model,
    agents: { buyer },
    tools: { order },
  })
}
