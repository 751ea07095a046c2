/** An accounts office: a clerk checks invoices, and a payer pays them, with the approval of a person. */
import { createAgent, createSupervisor, createTool, type ChatModel } from 'troupe'
import { z } from 'zod'

export function createOffice(model: ChatModel) {
  const invoice = createTool({
    id: 'invoice',
    description: 'Finds an invoice by its number.',
    inputSchema: z.object({ number: z.string() }),
    execute: ({ number }) => ({ number, euros: 480, from: 'Harbour Paper' }),
  })
  const pay = createTool({
    id: 'pay',
    description: 'Pays an amount.',
    inputSchema: z.object({ to: z.string(), euros: z.number() }),
    requireApproval: true,
    execute: ({ to, euros }) => ({ receipt: `R-1: ${euros} euros to ${to}` }),
  })
  const clerk = createAgent({
    id: 'clerk',
    description: 'Checks invoices.',
    instructions: 'You are the clerk. Look the invoice up, then say in one sentence what it asks for.',
    model,
    tools: { invoice },
  })
  const payer = createAgent({
    id: 'payer',
    description: 'Pays invoices.',
    instructions: 'You are the payer. Pay what you are asked to, then name the receipt.',
    model,
    tools: { pay },
  })
  return createSupervisor({
    id: 'accounts',
    instructions: 'You run the accounts: let the clerk check an invoice before the payer pays it.',
    model,
    agents: { clerk, payer },
  })
}
