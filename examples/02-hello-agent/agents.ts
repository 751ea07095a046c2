/** An agent with one tool. */
import { createAgent, createTool, type ChatModel } from 'troupe'
import { z } from 'zod'

export function createBookkeeper(model: ChatModel) {
  return createAgent({
    id: 'bookkeeper',
    instructions: 'You are a bookkeeper. Never calculate yourself: use your tool.',
    model,
    tools: { add_vat: addVat },
  })
}

const addVat = createTool({
  id: 'add_vat',
  description: 'Adds value-added tax to a net amount.',
  inputSchema: z.object({ net: z.number(), percent: z.number() }),
  execute: ({ net, percent }) => ({ gross: Math.round(net * (100 + percent)) / 100 }),
})
