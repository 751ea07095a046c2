/** The module of an app, as a development server loads it: agents, a store and a troupe at module level. */
import { createAgent, createTool, createTroupe } from 'troupe'
import { sqliteStore } from 'troupe/sqlite'
import { scriptedModel } from 'troupe/testing'
import { z } from 'zod'

const edition = 'EDITION'

const refund = createTool({
  id: 'refund',
  description: 'Refunds an order.',
  inputSchema: z.object({}),
  requireApproval: true,
  execute: () => `refunded by the ${edition}`,
})
const model = scriptedModel([], {
  otherwise: ({ messages }) =>
    messages.some(({ role }) => role === 'tool')
      ? `Done in the ${edition}.`
      : { toolCalls: [{ name: 'refund', args: {} }] },
})

export const desk = createAgent({ id: 'desk', instructions: 'Refund.', model, tools: { refund } })
export const store = sqliteStore(process.env['DESK_FILE'] ?? '')
export const troupe = createTroupe({
  agents: [desk],
  store,
  hotReload: process.env['NODE_ENV'] === 'development',
})
