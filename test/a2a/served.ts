/** An agent served over Agent2Agent in this process, and the SDK's client of it. */
import { Role, type Message, type Part, type StreamResponse, type Task } from '@a2a-js/sdk'
import { ClientFactory, JsonRpcTransportFactory, type Client } from '@a2a-js/sdk/client'
import { createTroupe, type AgentDefinition, type Store, memoryStore } from 'troupe'
import {
  a2aFetch,
  a2aHandler,
  agentCard,
  type A2aFetchOptions,
  type A2aHandlerOptions,
  type A2aTroupe,
  type AgentCardOptions,
} from 'troupe/a2a'

const url = 'http://localhost/a2a'

export interface Served {
  readonly troupe: ReturnType<typeof createTroupe>
  readonly fetch: (request: Request) => Promise<Response>
}

type ServeOptions = Partial<A2aHandlerOptions> &
  Partial<A2aFetchOptions> &
  Pick<AgentCardOptions, 'inputModes'>

export function serve(
  agent: AgentDefinition,
  { store = memoryStore(), ...options }: ServeOptions & { readonly store?: Store } = {},
): Served {
  const troupe = createTroupe({ agents: [agent], store })
  return { troupe, ...serveOn(troupe, agent, options) }
}

export function serveOn(
  troupe: A2aTroupe,
  agent: AgentDefinition,
  {
    authenticate = 'everybody',
    hosts,
    maxBodyBytes,
    heartbeat,
    readerTimeout,
    inputModes = ['text/plain', '*/*'],
    ...options
  }: ServeOptions = {},
): Pick<Served, 'fetch'> {
  const given = Object.entries({ hosts, maxBodyBytes, heartbeat, readerTimeout })
  const limits = Object.fromEntries(given.filter(([, value]) => value !== undefined))
  const card = agentCard(agent, { endpoints: [{ url, binding: 'JSONRPC' }], inputModes })
  const handler = a2aHandler(agent, { troupe, card, ...options })
  return { fetch: a2aFetch(handler, { authenticate, ...limits }) }
}

/** A client that has read the card; `token` is its Authorization header. */
export async function clientOf(served: Pick<Served, 'fetch'>, token?: string): Promise<Client> {
  const fetchImpl: typeof fetch = (target, init) => {
    const request = new Request(target, init)
    if (token !== undefined) request.headers.set('authorization', token)
    return served.fetch(request)
  }
  const card = (await (
    await served.fetch(new Request(`${url}/.well-known/agent-card.json`))
  ).json()) as Parameters<ClientFactory['createFromAgentCard']>[0]
  const factory = new ClientFactory({ transports: [new JsonRpcTransportFactory({ fetchImpl })] })
  return factory.createFromAgentCard(card)
}

export function text(value: string): Part {
  return { content: { $case: 'text', value }, metadata: undefined, filename: '', mediaType: 'text/plain' }
}

export function data(value: object): Part {
  return {
    content: { $case: 'data', value },
    metadata: undefined,
    filename: '',
    mediaType: 'application/json',
  }
}

/** The request of a message; `task`: of a task that has begun. */
export function saying(parts: readonly Part[], task?: Pick<Task, 'id' | 'contextId'>) {
  const message: Message = {
    messageId: crypto.randomUUID(),
    contextId: task?.contextId ?? '',
    taskId: task?.id ?? '',
    role: Role.ROLE_USER,
    parts: [...parts],
    metadata: undefined,
    extensions: [],
    referenceTaskIds: [],
  }
  return { tenant: '', message, configuration: undefined, metadata: undefined }
}

export async function send(client: Client, parts: readonly Part[], task?: Task): Promise<Task> {
  const result = await client.sendMessage(saying(parts, task))
  if (!('status' in result)) throw new Error('It is no task.')
  return result
}

/** The payloads of a stream, without what differs from run to run. */
export async function streamed(stream: AsyncIterable<StreamResponse>): Promise<StreamResponse['payload'][]> {
  const all: StreamResponse['payload'][] = []
  for await (const { payload } of stream) all.push(payload)
  return all
}

/** The texts of parts. */
export function textsOf(parts: readonly Part[] = []): string[] {
  return parts.flatMap(({ content }) => (content?.$case === 'text' ? content.value : []))
}
