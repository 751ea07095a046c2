/** An agent whose answer is data. */
import { createAgent, type ChatModel } from 'troupe'
import { z } from 'zod'

const invoice = z.object({
  supplier: z.string(),
  /** The model writes a text; the program gets a date. */
  due: z.iso.date().transform((text) => new Date(text)),
  items: z.array(z.object({ name: z.string(), euros: z.number().positive() })).min(1),
})

export type Invoice = z.infer<typeof invoice>

export function createReader(model: ChatModel) {
  return createAgent({
    id: 'reader',
    instructions: 'You read invoices.',
    model,
    structuredOutput: { schema: invoice, name: 'invoice' },
  })
}
