/** The other company: its agent over Agent2Agent, with a troupe, a model and a port of its own. */
import { serve } from '@hono/node-server'
import { createTroupe, type ChatModel } from 'troupe'
import { a2aFetch, a2aHandler, agentCard } from 'troupe/a2a'
import { createOffice } from '../37-a2a/agents.ts'

/** What the server admits: a secret that the two companies share. */
export const token = 'of-the-travel-office'

export async function openHarbour(model: ChatModel) {
  const office = createOffice(model)
  const troupe = createTroupe({ agents: [office] })
  const listening = Promise.withResolvers<string>()
  const server = serve({ port: 0, hostname: '127.0.0.1', fetch: (request) => answer(request) }, ({ port }) =>
    listening.resolve(`http://127.0.0.1:${port}`),
  )
  const url = await listening.promise
  const card = agentCard(office, { endpoints: [{ url, binding: 'JSONRPC' }] })
  const answer = a2aFetch(a2aHandler(office, { troupe, card }), {
    authenticate: ({ headers }) =>
      headers.get('authorization') === `Bearer ${token}` ? { userName: 'travel-office' } : undefined,
  })
  return {
    url,
    troupe,
    async close() {
      server.close()
      await troupe.close()
    },
  }
}
