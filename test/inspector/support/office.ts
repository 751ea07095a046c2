/** A supervisor whose subagent pays, with approval. */
import { createTool, type AgentDefinition } from 'troupe'
import { z } from 'zod'
import { calls, lead, to, worker } from '../../support/agents/agents.ts'

export function office(instructions = 'Pay bills.'): AgentDefinition {
  const pay = createTool({
    id: 'pay',
    description: 'Pays.',
    inputSchema: z.object({ euros: z.number() }),
    requireApproval: true,
    execute: ({ euros }) => ({ paid: euros }),
  })
  const clerk = worker('clerk', [calls({ name: 'pay', args: { euros: 7 } }), 'Paid.'], {
    tools: { pay },
    instructions,
  })
  return lead('boss', [calls(to('clerk', 'Pay 7')), 'Done.'], { agents: { clerk: clerk.agent } }).agent
}
