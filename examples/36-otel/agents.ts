/** A desk that has a clerk look at an order, and pays it back after a person has agreed. */
import { trace } from '@opentelemetry/api'
import { createAgent, createSupervisor, createTool, type ChatModel } from 'troupe'
import { z } from 'zod'

const inputSchema = z.object({ order: z.number() })

export function createDesk(model: ChatModel) {
  const lookUp = createTool({
    id: 'look-up',
    description: 'Looks an order up.',
    inputSchema,
    // The span of the tool is active here: the span of the query is below it.
    execute: ({ order }) =>
      trace.getTracer('shop').startActiveSpan('SELECT orders', (span) => {
        span.end()
        return { order, price: 40, isDelivered: false }
      }),
  })
  const payBack = createTool({
    id: 'pay-back',
    description: 'Pays an order back.',
    inputSchema,
    requireApproval: true,
    execute: ({ order }) => `Order ${order} is paid back.`,
  })
  const clerk = createAgent({
    id: 'clerk',
    description: 'Knows the orders.',
    instructions: 'You are the clerk. Look the order up, and say in one sentence how it stands.',
    model,
    tools: { 'look-up': lookUp },
  })
  return createSupervisor({
    id: 'desk',
    instructions: 'You are the desk. Ask the clerk about the order, then pay it back.',
    model,
    agents: { clerk },
    tools: { 'pay-back': payBack },
  })
}
