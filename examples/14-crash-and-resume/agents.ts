/** A shop that handles an order with three tools. Each of them does something outside that cannot be taken back. */
import { createAgent, createTool, type ChatModel } from 'troupe'
import { z } from 'zod'
import type { Bank } from './bank.ts'

/** Says what the tools do, in the process that does it. */
export type Tell = (what: string) => void

export function createShop(model: ChatModel, bank: Bank, tell: Tell) {
  const reserve = createTool({
    id: 'reserve',
    description: 'Puts an article aside.',
    inputSchema: z.object({ article: z.string() }),
    execute({ article }) {
      tell(`reserve: one ${article} is put aside`)
      return 'It is put aside.'
    },
  })
  const charge = createTool({
    id: 'charge',
    description: 'Charges the card of the customer.',
    inputSchema: z.object({ euros: z.number() }),
    // Was the card charged when the process died? Nobody knows. The tool runs again, with the same key.
    onInterrupted: 'retry',
    async execute({ euros }, { idempotencyKey }) {
      tell(`charge: asks the bank for ${euros} euros`)
      const receipt = await bank.charge(euros, idempotencyKey)
      tell(`charge: the bank gives ${receipt}`)
      return receipt
    },
  })
  const ship = createTool({
    id: 'ship',
    description: 'Sends the parcel.',
    inputSchema: z.object({ receipt: z.string() }),
    execute({ receipt }) {
      tell(`ship: the parcel leaves, with ${receipt}`)
      return 'It is on its way.'
    },
  })
  return createAgent({
    id: 'shop',
    instructions: 'You handle orders: reserve the article, charge the card, ship the parcel, then report.',
    model,
    tools: { reserve, charge, ship },
  })
}
