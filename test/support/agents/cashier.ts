/** An agent that pays money back when a person agrees. */
import { createTool, textOf, type AgentDefinition, type AgentOptions } from 'troupe'
import { z } from 'zod'
import { calls, worker } from './agents.ts'

/** `paid`: is called for each payment. */
export function cashier(paid: () => void = () => undefined): AgentDefinition<AgentOptions> {
  const refund = createTool({
    id: 'refund',
    description: 'Pays money back.',
    inputSchema: z.object({ euros: z.number() }),
    requireApproval: true,
    execute: ({ euros }) => {
      paid()
      return `${euros} euros are on their way`
    },
  })
  return worker('cashier', [], {
    tools: { refund },
    otherwise: ({ messages }) => {
      const last = messages.at(-1)
      return last?.role === 'tool' ? textOf(last.content) : calls({ name: 'refund', args: { euros: 20 } })
    },
  }).agent
}
