/** A help desk: whoever is asked first finds out who can help, and lets go of the conversation. */
import { createAgent, createTool, type AgentDefinition, type ChatModel } from 'troupe'
import { z } from 'zod'

export function createHelpDesk(model: ChatModel) {
  const billing = createAgent({
    id: 'billing',
    description: 'Looks up invoices, and refunds what was charged twice.',
    instructions: 'You are the billing department. Hand customers with other questions back to reception.',
    model,
    tools: { invoices },
    // The two name each other: this one when it is first used, since reception is not defined yet.
    handoffs: [(): AgentDefinition => reception],
  })
  const reception = createAgent({
    id: 'reception',
    description: 'Answers questions on opening hours, and knows who can help with others.',
    instructions: 'You are the reception of a power company. We are open from nine to five.',
    model,
    handoffs: [billing],
  })
  return reception
}

const invoices = createTool({
  id: 'invoices',
  description: 'The invoices of a customer.',
  inputSchema: z.object({ customer: z.string() }),
  execute: ({ customer }) => `${customer}: 42 euros in May, charged twice.`,
})
