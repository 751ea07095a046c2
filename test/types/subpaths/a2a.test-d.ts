/** An agent behind the handler of the A2A SDK. */
import type { AgentCard } from '@a2a-js/sdk'
import { JsonRpcTransportHandler } from '@a2a-js/sdk/server'
import type { AgentDefinition, Troupe } from 'troupe'
import { a2aFetch, a2aHandler, agentCard } from 'troupe/a2a'
import { expectType } from '../expect-type.ts'

export function served(agent: AgentDefinition, troupe: Troupe): void {
  const card = agentCard(agent, { endpoints: [{ url: 'https://troupe.example/a2a', binding: 'JSONRPC' }] })
  expectType<AgentCard>()(card)
  const handler = a2aHandler(agent, {
    troupe,
    card,
    runOptions: ({ contextId }) => ({ threadId: contextId }),
    answeredBy: ({ context }) => context.user?.userName,
  })
  void new JsonRpcTransportHandler(handler)
  const answer = a2aFetch(handler, {
    authenticate: ({ headers }) => ({ userName: headers.get('user') ?? '' }),
  })
  expectType<(request: Request) => Promise<Response>>()(answer)
  // @ts-expect-error: the callers are named, or all are allowed in so many words
  a2aFetch(handler)
  // @ts-expect-error: a card has addresses
  agentCard(agent, {})
}
