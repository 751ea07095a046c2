/** `a2aFetch`: the JSON-RPC binding over the `Request` and `Response` of the web. */
import type { OnError } from '../../index.ts'
import {
  type Fields,
  type Reporter,
  aFunction,
  aName,
  askUser,
  defaultsOf,
  either,
  isRecord,
  listOf,
  milliseconds,
  oneOf,
  optional,
  positiveInteger,
  readOptions,
  reporterOf,
  required,
  uuidOf,
  whatever,
  withDefault,
} from '../../kit/index.ts'
import { isName } from '../../kit/host.ts'
import {
  leavable,
  assertJson,
  forbidden,
  incoming,
  readText,
  refusalOf,
  refusalResponse,
  serverFailure,
  textStream,
  unauthorised,
  wrongMethod,
} from '../../kit/wire/index.ts'
import {
  A2A_PROTOCOL_VERSION,
  A2A_VERSION_HEADER,
  AGENT_CARD_PATH,
  type AgentCard,
  Extensions,
  formatSSEErrorEvent,
  formatSSEEvent,
  HTTP_EXTENSION_HEADER,
} from '@a2a-js/sdk'
import {
  defaultServerCallContextBuilder,
  type A2ARequestHandler,
  type ServerCallContext,
  type User,
} from '@a2a-js/sdk/server'
import { servedCard } from '../card/served-card.ts'
import { readRequest, type Id } from './json-rpc.ts'
import { noteLeaving } from './leaving.ts'
import { Protocols, type Protocol } from './protocol-versions.ts'

/** The options of `a2aFetch`. */
export interface A2aFetchOptions {
  /**
   * Names the caller of a request, who sees the tasks that it has begun and no others. Every answer but a user with a name
   * refuses the request with 401. A throw, or no answer within a minute, is the status 500 and is reported.
   * `'everybody'`: no caller is known, and all share their tasks.
   */
  readonly authenticate:
    ((request: Request) => A2aUser | undefined | Promise<A2aUser | undefined>) | 'everybody'
  /** The most bytes of a message. Its files are in it, as base64. Default: 4 MiB. */
  readonly maxBodyBytes?: number
  /**
   * The names under which the agent is served, such as `agents.example.com` or `localhost:8080`. A request to another one is
   * refused with 403, so that no page of a browser reaches an agent on its own machine by a name that it has made. Default: any.
   */
  readonly hosts?: readonly string[]
  /** Milliseconds between two comments that keep a quiet stream open. Default: 15 000. */
  readonly heartbeat?: number
  /**
   * Milliseconds for which a reader may take no event before its stream ends with the error `READER_TIMEOUT`, so that it holds no
   * memory and no connection; it subscribes to its task anew. Default: 60 000.
   */
  readonly readerTimeout?: number
  /** Receives errors for which a request was answered with the status 500. Default: one `console.warn` each. */
  readonly onError?: OnError
}

/** The caller of a request. */
export interface A2aUser {
  /** Not empty. */
  readonly userName: string
}

const streamed = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-store',
  'x-accel-buffering': 'no',
}

const fields = {
  authenticate: required(either((given) => typeof given === 'function', aFunction, oneOf('everybody'))),
  hosts: optional(listOf(aName, 'a list of names of hosts')),
  maxBodyBytes: withDefault(positiveInteger, 4 * 2 ** 20),
  heartbeat: withDefault(milliseconds, 15_000),
  readerTimeout: withDefault(milliseconds, 60_000),
  onError: optional(aFunction),
} satisfies Fields<A2aFetchOptions>

/** Where clients find the card: those of 0.3 know the second place too. */
const cardPaths = [`/${AGENT_CARD_PATH}`, '/.well-known/agent.json']

/**
 * Answers requests for an agent: `POST` of JSON-RPC in version 1.0 or 0.3 of the protocol, streamed as server-sent events where the
 * client asks for it, and `GET` of the card at `/.well-known/agent-card.json`. Where the stream is closed, the run goes on.
 * Throws a `ConfigurationError` for a wrong option.
 * @experimental
 */
export function a2aFetch(
  handler: A2ARequestHandler,
  options: A2aFetchOptions,
): (request: Request) => Promise<Response> {
  const read = readOptions<A2aFetchOptions>(options, 'a2aFetch', fields)
  const { authenticate, hosts, maxBodyBytes, onError, ...pace } = { ...defaultsOf(fields), ...read }
  const report = reporterOf(onError)
  const protocols = new Protocols(handler)
  const answer = async (request: Request): Promise<Response> => {
    if (hosts !== undefined) assertHost(request, hosts)
    if (request.method === 'GET' && isCardPath(new URL(request.url).pathname))
      return cardAnswer(request, await handler.getAgentCard())
    if (request.method !== 'POST') throw wrongMethod(['GET', 'POST'])
    const read = incoming(request)
    assertJson(read, ['application/a2a+json'])
    const user = await callerOf(request, authenticate, report)
    const call = readRequest(await readText(read, maxBodyBytes))
    if ('refusal' in call) return Response.json(call.refusal)
    const { id } = call
    const protocol = protocols.of(versionOf(request), call.request['method'])
    try {
      const left = new AbortController()
      const context = contextOf(request, user, protocol)
      noteLeaving(context, left.signal)
      protocol.assertServes(await handler.getAgentCard(), context)
      const told = await protocol.handle({ ...call.request }, context)
      return Symbol.asyncIterator in told
        ? await streamedAnswer(told, { ...pace, id, left, protocol, signal: request.signal, request })
        : Response.json(told)
    } catch (error) {
      return Response.json({ jsonrpc: '2.0', id, error: protocol.errorOf(error) })
    }
  }
  return async (request) => {
    try {
      return await answer(request)
    } catch (error) {
      const refusal = refusalOf(error)
      if (refusal === undefined)
        report({
          message: 'a request could not be answered',
          code: 'REQUEST_NOT_ANSWERED',
          where: 'request',
          error,
        })
      return refusalResponse(refusal ?? serverFailure())
    }
  }
}

/** Servers make the address of a request from its `Host` header. Throws a `RefusedRequest`. */
function assertHost({ url }: Request, hosts: readonly string[]): void {
  const { host } = new URL(url)
  if (!hosts.some((name) => name.toLowerCase() === host))
    throw forbidden('The agent is not served by this name.')
}

/** `undefined`: no caller is known, and everybody is let in. Rejects with a `RefusedRequest`. */
async function callerOf(
  request: Request,
  authenticate: A2aFetchOptions['authenticate'],
  report: Reporter,
): Promise<A2aUser | undefined> {
  if (authenticate === 'everybody') return undefined
  const user = await askUser('authenticate of a2aFetch', () => authenticate(request), whatever).catch(
    (error: unknown) => {
      report({
        message: 'the caller of a request could not be checked',
        code: 'CALLER_NOT_CHECKED',
        where: 'request',
        error,
      })
      throw serverFailure()
    },
  )
  const userName = isRecord(user) ? user['userName'] : undefined
  if (!isName(userName)) throw unauthorised('Say who calls.')
  return { userName }
}

function isCardPath(path: string): boolean {
  return cardPaths.some((end) => path.endsWith(end))
}

/** The card may be kept for a minute, and asked for again by its tag. It differs by the version of the client. */
async function cardAnswer(request: Request, card: AgentCard): Promise<Response> {
  const body = JSON.stringify(await servedCard(card, versionOf(request) === A2A_PROTOCOL_VERSION))
  const etag = `"${uuidOf(body)}"`
  const told = { etag, 'cache-control': 'public, max-age=60', vary: A2A_VERSION_HEADER }
  const known = request.headers.get('if-none-match')?.split(',') ?? []
  if (known.some((tag) => tag.trim().replace(/^W\//, '') === etag))
    return new Response(null, { status: 304, headers: told })
  return new Response(body, { headers: { ...told, 'content-type': 'application/json' } })
}

function contextOf(
  { headers }: Request,
  user: A2aUser | undefined,
  { version, extensionHeader }: Protocol,
): ServerCallContext {
  const known: User | undefined = user && { isAuthenticated: true, userName: user.userName }
  const extensions = headers.get(extensionHeader) ?? headers.get(HTTP_EXTENSION_HEADER) ?? undefined
  return defaultServerCallContextBuilder({
    extensions: Extensions.parseServiceParameter(extensions),
    user: known,
    headers: Object.fromEntries(headers),
    requestedVersion: version,
  })
}

/** Names of parameters are read in any case, as those of headers. */
function inQuery(url: string, name: string): string | undefined {
  const entries = [...new URL(url).searchParams]
  return entries.find(([key]) => key.toLowerCase() === name.toLowerCase())?.[1]
}

/** The version that a request names; `undefined`: none. A patch of a version is no other version. */
function versionOf({ headers, url }: Request): string | undefined {
  const given = headers.get(A2A_VERSION_HEADER) ?? inQuery(url, A2A_VERSION_HEADER) ?? ''
  const version = given.trim().replace(/^(\d+\.\d+)\.\d+$/, '$1')
  return version === '' ? undefined : version
}

type Stream = AsyncGenerator<object, void, undefined>

interface StreamOptions extends Required<Pick<A2aFetchOptions, 'heartbeat' | 'readerTimeout'>> {
  /** Of the call. */
  readonly id: Id
  readonly protocol: Protocol
  /** Fired when the reader has left or was cut off. */
  readonly left: AbortController
  /** Of the request. */
  readonly signal: AbortSignal
  readonly request: Request
}

/**
 * Rejects where the request is refused: there is no stream then, but for clients that read one. A later error is the last event of
 * the stream.
 */
async function streamedAnswer(
  answer: Stream,
  { id, left, protocol, ...options }: StreamOptions,
): Promise<Response> {
  const first = protocol.streamsRefusals ? undefined : await answer.next()
  const leave = (): Promise<unknown> => {
    left.abort()
    return answer.return()
  }
  const body = textStream(leavable(textsOf(answer, first), leave), {
    ...options,
    beat: ':\n\n',
    failed: (error) => formatSSEErrorEvent({ jsonrpc: '2.0', id, error: protocol.errorOf(error) }),
  })
  return new Response(body, { headers: streamed })
}

/** `first`: the event that was read already. */
async function* textsOf(
  answer: Stream,
  first?: Awaited<ReturnType<Stream['next']>>,
): AsyncGenerator<string, void> {
  for (let next = first ?? (await answer.next()); next.done !== true; next = await answer.next())
    yield formatSSEEvent(next.value)
}
