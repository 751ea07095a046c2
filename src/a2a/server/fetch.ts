/** `a2aFetch`: the JSON-RPC binding over the `Request` and `Response` of the web. */
import {
  A2A_VERSION_HEADER,
  AGENT_CARD_PATH,
  AgentCard,
  formatSSEErrorEvent,
  formatSSEEvent,
} from '@a2a-js/sdk'
import {
  defaultServerCallContextBuilder,
  JsonRpcTransportHandler,
  validateVersion,
  type A2ARequestHandler,
  type ServerCallContext,
  type User,
} from '@a2a-js/sdk/server'
import { aFunction, either, oneOf, positiveInteger } from '../../actors/strict/checks.ts'
import { isRecord } from '../../actors/values/json.ts'
import {
  defaultsOf,
  optional,
  readOptions,
  required,
  withDefault,
  type Fields,
} from '../../actors/strict/read-options.ts'
import { uuidOf } from '../../actors/values/sha256.ts'
import { reporterOf, type OnError, type Reporter } from '../../runtime/report.ts'
import { requestText } from '../../runtime/request-text.ts'
import { askUser, isName, whatever } from '../../runtime/user-function.ts'
import { errorAnswer, readRequest, type RpcError } from './json-rpc.ts'
import { noteLeaving } from './tasks/leaving.ts'

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
  maxBodyBytes: withDefault(positiveInteger, 4 * 2 ** 20),
  onError: optional(aFunction),
} satisfies Fields<A2aFetchOptions>

/**
 * Answers requests for an agent: `POST` of JSON-RPC, streamed as server-sent events where the client asks for it, and `GET` of the
 * card at `/.well-known/agent-card.json`. Where the stream is closed, the run goes on. Throws a `ConfigurationError` for a
 * wrong option.
 */
export function a2aFetch(
  handler: A2ARequestHandler,
  options: A2aFetchOptions,
): (request: Request) => Promise<Response> {
  const read = readOptions<A2aFetchOptions>(options, 'a2aFetch', fields)
  const { authenticate, maxBodyBytes, onError } = { ...defaultsOf(fields), ...read }
  const report = reporterOf(onError)
  const transport = new JsonRpcTransportHandler(handler)
  return async (request) => {
    if (request.method === 'GET' && new URL(request.url).pathname.endsWith(`/${AGENT_CARD_PATH}`))
      return cardAnswer(request, await handler.getAgentCard())
    if (request.method !== 'POST') return refused(405, 'Use POST.', { allow: 'GET, POST' })
    if (!isJson(request)) return refused(415, 'Send JSON.')
    const caller = await callerOf(request, authenticate, report)
    if ('refusal' in caller) return caller.refusal
    const body = await requestText(request, maxBodyBytes)
    if ('unread' in body) {
      const [status, text] = refusals[body.unread]
      return refused(status, text)
    }
    const call = readRequest(body.text)
    if ('refusal' in call) return Response.json(call.refusal)
    const { id } = call
    try {
      const left = new AbortController()
      const context = contextOf(request, caller.user)
      noteLeaving(context, left.signal)
      validateVersion(context.requestedVersion, await handler.getAgentCard(), 'JSONRPC')
      const answer = await transport.handle(call.request, context)
      return Symbol.asyncIterator in answer ? await streamedAnswer(answer, id, left) : Response.json(answer)
    } catch (error) {
      return Response.json(errorAnswer(id, error))
    }
  }
}

/** `user`: absent where no caller is known and everybody is let in. */
type Caller = { readonly user?: A2aUser } | { readonly refusal: Response }

async function callerOf(
  request: Request,
  authenticate: A2aFetchOptions['authenticate'],
  report: Reporter,
): Promise<Caller> {
  if (authenticate === 'everybody') return {}
  try {
    const user = await askUser('authenticate of a2aFetch', () => authenticate(request), whatever)
    const userName = isRecord(user) ? user['userName'] : undefined
    return isName(userName) ? { user: { userName } } : { refusal: refused(401, 'Say who calls.') }
  } catch (error) {
    report({ message: 'the caller of a request could not be checked', where: 'request', error })
    return { refusal: refused(500, 'The server failed to answer.') }
  }
}

/** The card may be kept for a minute, and asked for again by its tag. */
function cardAnswer({ headers }: Request, card: AgentCard): Response {
  const body = JSON.stringify(AgentCard.toJSON(card))
  const etag = `"${uuidOf(body)}"`
  const told = { etag, 'cache-control': 'public, max-age=60' }
  const known = headers.get('if-none-match')?.split(',') ?? []
  if (known.some((tag) => tag.trim().replace(/^W\//, '') === etag))
    return new Response(null, { status: 304, headers: told })
  return new Response(body, { headers: { ...told, 'content-type': 'application/json' } })
}

const refusals = {
  tooLong: [413, 'The message is too long.'],
  cutOff: [400, 'The message has not arrived.'],
  notUtf8: [400, 'The message is not UTF-8.'],
} as const

function refused(status: number, text: string, headers: Record<string, string> = {}): Response {
  return new Response(text, { status, headers })
}

/** A page of another origin cannot send JSON without being asked first. */
function isJson({ headers }: Request): boolean {
  return /^application\/(a2a\+)?json\b/i.test(headers.get('content-type') ?? '')
}

function contextOf({ headers, url }: Request, user: A2aUser | undefined): ServerCallContext {
  const requestedVersion = versionOf(headers.get(A2A_VERSION_HEADER) ?? inQuery(url, A2A_VERSION_HEADER))
  const known: User | undefined = user && { isAuthenticated: true, userName: user.userName }
  return defaultServerCallContextBuilder({
    extensions: undefined,
    user: known,
    headers: Object.fromEntries(headers),
    ...(requestedVersion === null ? {} : { requestedVersion }),
  })
}

/** Names of parameters are read in any case, as those of headers. */
function inQuery(url: string, name: string): string | null {
  const entries = [...new URL(url).searchParams]
  return entries.find(([key]) => key.toLowerCase() === name.toLowerCase())?.[1] ?? null
}

/** A patch of a version is no other version. */
function versionOf(given: string | null): string | null {
  return given === null ? null : given.trim().replace(/^(\d+\.\d+)\.\d+$/, '$1')
}

type Stream = Extract<Awaited<ReturnType<JsonRpcTransportHandler['handle']>>, AsyncGenerator>

/** Rejects where the request is refused: there is no stream then. A later error is the last event of the stream. */
async function streamedAnswer(answer: Stream, id: RpcError['id'], left: AbortController): Promise<Response> {
  const encoder = new TextEncoder()
  let next: ReturnType<Stream['next']> | undefined = Promise.resolve(await answer.next())
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await (next ?? answer.next())
        next = undefined
        if (done === true) controller.close()
        else controller.enqueue(encoder.encode(formatSSEEvent(value)))
      } catch (error) {
        controller.enqueue(encoder.encode(formatSSEErrorEvent(errorAnswer(id, error))))
        controller.close()
      }
    },
    async cancel() {
      left.abort()
      await answer.return()
    },
  })
  return new Response(body, { headers: streamed })
}
