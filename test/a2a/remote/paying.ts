/** An agent that pays money back, when a person agrees. */
import { createTool, textOf } from 'troupe'
import { z } from 'zod'
import { calls, worker } from '../../support/agents/agents.ts'

/** Decides by its messages alone, so that it goes on in any process. `paid`: how often it has paid. */
export function guardedCashier() {
  let paid = 0
  const refund = createTool({
    id: 'refund',
    description: 'Pays money back.',
    inputSchema: z.object({ euros: z.number() }),
    requireApproval: true,
    execute: ({ euros }) => {
      paid++
      return `${euros} euros are on their way`
    },
  })
  const { agent } = worker('cashier', [], {
    tools: { refund },
    otherwise: ({ messages }) => {
      const last = messages.at(-1)
      return last?.role === 'tool' ? textOf(last.content) : calls({ name: 'refund', args: { euros: 20 } })
    },
  })
  return { agent, paid: () => paid }
}
