/** A desk that refunds orders: a clerk checks the order, a payer pays. A hook keeps the two in order, or should. */
import {
  createAgent,
  createSupervisor,
  createTool,
  type ChatModel,
  type DelegationOptions,
  textOf,
} from 'troupe'
import { z } from 'zod'

const refund = createTool({
  id: 'refund',
  description: 'Refunds an order.',
  inputSchema: z.object({ order: z.string() }),
  requireApproval: true,
  execute: ({ order }) => ({ receipt: `refund of ${order}` }),
})

/** `delegation`: who may be given work, and when. */
export function createDesk(model: ChatModel, delegation: DelegationOptions) {
  return createSupervisor({
    id: 'desk',
    instructions: 'Let the clerk check the order, and then the payer refund it.',
    model,
    agents: {
      clerk: createAgent({
        id: 'clerk',
        description: 'Checks whether an order may be refunded.',
        instructions: 'Check the order.',
        model,
      }),
      payer: createAgent({
        id: 'payer',
        description: 'Refunds an order.',
        instructions: 'Refund the order.',
        model,
        tools: { refund },
      }),
    },
    delegation,
  })
}

/** With a fault: the payer is given work when the clerk was asked, whether or not the clerk has answered. */
export const clerkAsked: DelegationOptions = {
  onDelegationStart({ agentId, messages }) {
    const isAsked = messages.some(
      (message) =>
        message.role === 'assistant' && message.toolCalls?.some(({ name }) => name === 'agent-clerk'),
    )
    return agentId !== 'payer' || isAsked
      ? { proceed: true }
      : { proceed: false, rejectionReason: 'The clerk was not asked.' }
  },
}

/** The payer is given work only when a result of the clerk is part of the conversation. */
export const clerkFirst: DelegationOptions = {
  onDelegationStart({ agentId, messages }) {
    const isChecked = messages.some(
      (message) =>
        message.role === 'tool' &&
        message.toolName === 'agent-clerk' &&
        !textOf(message.content).includes('"error"'),
    )
    return agentId !== 'payer' || isChecked
      ? { proceed: true }
      : { proceed: false, rejectionReason: 'The clerk has not checked the order.' }
  },
}
