/** A manager who has a program written for her: it reads the stock, and orders what is short. */
import { createSupervisor, createTool, type ChatModel } from 'troupe'
import { codeMode } from 'troupe/code-mode'
import { z } from 'zod'

const units: Readonly<Record<string, number>> = { flour: 3, salt: 40, sugar: 7, yeast: 1 }

const list = createTool({
  id: 'list',
  description: 'Lists the items of the shop.',
  inputSchema: z.object({}),
  outputSchema: z.array(z.string()),
  execute: () => Object.keys(units),
})

const stock = createTool({
  id: 'stock',
  description: 'Tells how many units of an item are there.',
  inputSchema: z.object({ item: z.string() }),
  outputSchema: z.object({ item: z.string(), units: z.number() }),
  execute: ({ item }) => ({ item, units: units[item] ?? 0 }),
})

const order = createTool({
  id: 'order',
  description: 'Orders units of an item.',
  inputSchema: z.object({ item: z.string(), units: z.number().int().positive() }),
  requireApproval: true,
  execute: (ordered) => ordered,
})

export function createShop(model: ChatModel) {
  const code = codeMode({
    id: 'code',
    description: 'Reads the stock of the shop and orders items.',
    tools: { list, stock, order },
  })
  return createSupervisor({
    id: 'manager',
    instructions: 'You manage a shop. Do what you can in one program.',
    model,
    agents: { code },
  })
}
