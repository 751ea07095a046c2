/** The card of an agent as its clients read it: those of 1.0, and those of 0.3. */
import { isRecord } from '../../kit/index.ts'
import { AgentCard } from '@a2a-js/sdk'
import { A2A_LEGACY_PROTOCOL_VERSION } from '@a2a-js/sdk/compat/v0_3'
import { LegacyRestTransportHandler } from '@a2a-js/sdk/compat/v0_3/server'
import { ServerCallContext, type A2ARequestHandler } from '@a2a-js/sdk/server'

type Json = Readonly<Record<string, unknown>>

/**
 * The JSON of a card. `isPresent`: for a client that names version 1.0. All others get a card that those of 0.3 and those of 1.0
 * read: it has the fields of both, where the agent is served in 0.3.
 */
export async function servedCard(card: AgentCard, isPresent: boolean): Promise<Json> {
  const present = AgentCard.toJSON(card) as Json
  if (isPresent || !card.supportedInterfaces.some(isFormer)) return present
  return { ...union(present, await formerCard(card)), protocolVersion: '0.3.0' }
}

function isFormer({ protocolVersion }: AgentCard['supportedInterfaces'][number]): boolean {
  return protocolVersion === A2A_LEGACY_PROTOCOL_VERSION
}

/** The SDK translates a card where a handler answers with it: it exports no function for that. */
async function formerCard(card: AgentCard): Promise<object> {
  const handler: Pick<A2ARequestHandler, 'getAuthenticatedExtendedAgentCard'> = {
    getAuthenticatedExtendedAgentCard: async () => card,
  }
  const rest = new LegacyRestTransportHandler(handler as A2ARequestHandler)
  return rest.getAuthenticatedExtendedAgentCard(new ServerCallContext())
}

/** Objects and lists have the fields of both, at any depth. No field has two meanings. */
function union(one: unknown, other: unknown): Json
function union(one: unknown, other: unknown): unknown {
  if (Array.isArray(one) && Array.isArray(other))
    return one.map((item: unknown, nr): unknown => (nr < other.length ? union(item, other[nr]) : item))
  if (!isRecord(one) || !isRecord(other)) return one ?? other
  const both = new Map(Object.entries(one))
  for (const [name, value] of Object.entries(other)) both.set(name, union(both.get(name), value))
  return Object.fromEntries(both)
}
