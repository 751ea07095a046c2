/** A cashier who pays back, if somebody with the right to do so agrees. */
import { createAgent, createTool, type ChatModel } from 'troupe'
import { z } from 'zod'

export function createCashier(model: ChatModel, tell: (what: string) => void) {
  const refund = createTool({
    id: 'refund',
    description: 'Pays back what an order has cost.',
    inputSchema: z.object({ order: z.string(), euros: z.number() }),
    requireApproval: ({ euros }) => euros > 50,
    execute({ order, euros }) {
      tell(`pays back ${euros} euros for ${order}`)
      return 'It is paid back.'
    },
  })
  return createAgent({
    id: 'cashier',
    instructions: 'You are the cashier: pay back what is asked for, then tell the customer.',
    model,
    tools: { refund },
  })
}
