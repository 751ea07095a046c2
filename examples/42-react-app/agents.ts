/** A buyer that finds offers in a catalogue, and orders what a person has approved. */
import { createAgent, createTool, type ChatModel } from 'troupe'
import { z } from 'zod'

export interface Ordered {
  readonly item: string
  readonly euros: number
}

/** Places an order. The same `key` places it once, however often it is sent. Resolves with the number of the order. */
export type PlaceOrder = (ordered: Ordered, key: string, signal: AbortSignal) => Promise<string>

const catalogue: readonly (Ordered & { readonly words: RegExp })[] = [
  { words: /lamp|light/i, item: 'desk lamp', euros: 45 },
  { words: /chair|sit/i, item: 'office chair', euros: 180 },
]

export function createBuyer(model: ChatModel, placeOrder: PlaceOrder) {
  const offers = createTool({
    id: 'offers',
    description: 'Finds an offer for what is needed.',
    inputSchema: z.object({ need: z.string() }),
    execute({ need }) {
      const found = catalogue.find(({ words }) => words.test(need))
      return found === undefined ? 'Nobody offers that.' : { item: found.item, euros: found.euros }
    },
  })
  const order = createTool({
    id: 'order',
    description: 'Orders an item.',
    inputSchema: z.object({ item: z.string(), euros: z.number().positive() }),
    requireApproval: true,
    onInterrupted: 'retry', // the server knows an order by its key
    execute: async (ordered, { idempotencyKey, signal }) => ({
      ...ordered,
      number: await placeOrder(ordered, idempotencyKey, signal),
    }),
  })
  return createAgent({
    id: 'buyer',
    instructions: 'You buy what an office needs. Find an offer, order it, and say what has come of it.',
    model,
    tools: { offers, order },
  })
}

export type Buyer = ReturnType<typeof createBuyer>
