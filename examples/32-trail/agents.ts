/** A desk for complaints. A clerk looks orders up; a hook rejects refunds that nobody has looked up before. */
import { createAgent, createSupervisor, createTool, type ChatModel } from 'troupe'
import { z } from 'zod'

export function createDesk(model: ChatModel) {
  const order = createTool({
    id: 'order',
    description: 'Finds an order by its number.',
    inputSchema: z.object({ number: z.string() }),
    execute: ({ number }) => ({ number, euros: 40, arrived: false }),
  })
  const clerk = createAgent({
    id: 'clerk',
    description: 'Looks orders up.',
    instructions: 'You are the clerk. Look the order up, then say in one sentence what has become of it.',
    model,
    tools: { order },
  })
  const cashier = createAgent({
    id: 'cashier',
    description: 'Pays money back.',
    instructions: 'You are the cashier. Confirm the refund in one sentence.',
    model,
  })
  return createSupervisor({
    id: 'desk',
    instructions: 'You answer complaints: ask the clerk about the order, and the cashier for a refund.',
    model,
    agents: { clerk, cashier },
    delegation: {
      onDelegationStart({ agentId, iterationContext }) {
        const isFirst = iterationContext.iteration === 1
        if (agentId !== 'cashier' || !isFirst) return undefined
        return { proceed: false, rejectionReason: 'Ask the clerk about the order first.' }
      },
    },
  })
}
