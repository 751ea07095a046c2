/** An agent of a partner over Agent2Agent in this process, and an agent of ours that stands for it. */
import { createTroupe, memoryStore, type AgentDefinition, type Store } from 'troupe'
import { a2aFetch, a2aHandler, agentCard, remoteAgent, type RemoteAgentOptions } from 'troupe/a2a'

const url = 'http://partner.test/a2a'

/** A request that has arrived: the name of its JSON-RPC method, and its parameters. */
export interface Arrived {
  readonly method: string
  readonly params: Readonly<Record<string, unknown>>
  /** Of JSON-RPC. */
  readonly id?: unknown
  readonly headers: Headers
}

export interface Partner {
  readonly troupe: ReturnType<typeof createTroupe>
  readonly arrived: readonly Arrived[]
  readonly fetch: typeof fetch
  /** How often each method was asked for. */
  count(method: string): number
}

export interface PartnerOptions {
  readonly store?: Store
  readonly streaming?: boolean
  /** Called before a request is answered, and with its answer: it may change either, or throw. */
  readonly around?: (arrived: Arrived, answer: () => Promise<Response>) => Promise<Response>
}

export function partnerWith(
  agent: AgentDefinition,
  { store = memoryStore(), streaming = true, around }: PartnerOptions = {},
): Partner {
  const troupe = createTroupe({ agents: [agent], store })
  const card = agentCard(agent, { endpoints: [{ url, binding: 'JSONRPC' }], streaming })
  const answer = a2aFetch(a2aHandler(agent, { troupe, card }), { authenticate: 'everybody' })
  return { troupe, ...recording(answer, around) }
}

/** A `fetch` that leads to a server in this process. */
function recording(
  answer: (request: Request) => Promise<Response>,
  around: PartnerOptions['around'] = (_, go) => go(),
): Pick<Partner, 'arrived' | 'fetch' | 'count'> {
  const arrived: Arrived[] = []
  return {
    arrived,
    count: (method) => arrived.filter((one) => one.method === method).length,
    fetch: async (target, init) => {
      const request = new Request(target, init)
      const body = request.method === 'POST' ? await request.clone().text() : '{}'
      const { method = 'card', params = {}, id } = JSON.parse(body) as Partial<Arrived>
      const one = { method, params, id, headers: request.headers }
      arrived.push(one)
      return around(one, () => answer(request))
    },
  }
}

export function standingFor(partner: Pick<Partner, 'fetch'>, more: Partial<RemoteAgentOptions> = {}) {
  return remoteAgent({
    id: 'partner',
    description: 'Works elsewhere.',
    url,
    fetch: partner.fetch,
    pollInterval: 5,
    ...more,
  })
}
