/** A desk that asks a helper and a person: each question of the wire has its place in a run of it. */
import { createTool, type Store } from 'troupe'
import { createTroupe } from 'troupe'
import { createHandler, type HandlerOptions } from 'troupe/http'
import { z } from 'zod'
import { calls, lead, to, worker } from '../../support/agents/agents.ts'
import { Client } from './client.ts'

const pay = createTool({
  id: 'pay',
  description: 'Pays.',
  inputSchema: z.object({ amount: z.number() }),
  requireApproval: true,
  execute: ({ amount }) => ({ paid: amount }),
})

/** The question of its run. */
export const toolCallId = 'desk/call:1.2'

/** A supervisor that delegates and pays in its first step, and then answers. */
export function deskAgent() {
  return lead('desk', [], {
    otherwise: ({ messages }) =>
      messages.some(({ role }) => role === 'tool')
        ? 'Paid.'
        : calls(to('helper', 'Help'), { name: 'pay', args: { amount: 5 } }),
    tools: { pay },
    agents: { helper: worker('helper', [], { otherwise: 'Help.' }).agent },
  }).agent
}

/** Each user sees the runs of his own: the user is named by a header. */
export const byUser: HandlerOptions['authorize'] = (request) => {
  const user = request.headers.get('x-user')
  return user === null
    ? new Response('Who are you?', { status: 401 })
    : { resource: user, by: `${user}@test` }
}

export function openDesk(options: Partial<HandlerOptions> = {}, store?: Store) {
  const agent = deskAgent()
  const troupe = createTroupe({ agents: [agent], ...(store === undefined ? {} : { store }) })
  const handler = createHandler(troupe, { authorize: byUser, agents: [agent], ...options })
  return { agent, troupe, handler, client: new Client(handler) }
}
