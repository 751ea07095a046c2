/** A support desk that knows the orders of a shop; money goes back only when one of the staff has approved it. */
import { createAgent, createTool, type ChatModel } from 'troupe'
import { z } from 'zod'

const orders: Readonly<
  Record<string, { readonly item: string; readonly euros: number; readonly where: string }>
> = {
  'A-17': { item: 'desk lamp', euros: 45, where: 'delivered on Monday' },
  'B-20': { item: 'bookshelf', euros: 120, where: 'in the depot in Hamburg' },
}

export function createSupportDesk(model: ChatModel) {
  const order = createTool({
    id: 'order',
    description: 'Finds an order by its number.',
    inputSchema: z.object({ number: z.string() }),
    execute({ number }) {
      const found = orders[number]
      if (found === undefined) throw new Error(`There is no order ${number}.`)
      return { number, ...found }
    },
  })
  const refund = createTool({
    id: 'refund',
    description: 'Pays the price of an order back.',
    inputSchema: z.object({ number: z.string(), euros: z.number().positive() }),
    requireApproval: true,
    execute: ({ number, euros }) => ({ receipt: `R-${number}`, euros }),
  })
  return createAgent({
    id: 'support',
    instructions:
      'You are the support desk of a shop. Look an order up before you say anything about it. Pay money back where goods are broken.',
    model,
    tools: { order, refund },
    memory: true,
  })
}
