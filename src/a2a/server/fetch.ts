/** `a2aFetch`: the JSON-RPC binding over the `Request` and `Response` of the web. */
import { A2A_VERSION_HEADER, AGENT_CARD_PATH, AgentCard, formatSSEEvent } from '@a2a-js/sdk'
import {
  defaultServerCallContextBuilder,
  JsonRpcTransportHandler,
  validateVersion,
  type A2ARequestHandler,
  type ServerCallContext,
  type User,
} from '@a2a-js/sdk/server'
import { aFunction, either, oneOf } from '../../actors/strict/checks.ts'
import { readOptions, required, type Fields } from '../../actors/strict/read-options.ts'

/** The options of `a2aFetch`. */
export interface A2aFetchOptions {
  /**
   * Names the caller of a request, who sees the tasks that it has begun and no others; `undefined` refuses the request with 401.
   * `'everybody'`: no caller is known, and all share their tasks.
   */
  readonly authenticate:
    ((request: Request) => A2aUser | undefined | Promise<A2aUser | undefined>) | 'everybody'
}

/** The caller of a request. */
export interface A2aUser {
  readonly userName: string
}

const streamed = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-store',
  'x-accel-buffering': 'no',
}

const fields: Fields<A2aFetchOptions> = {
  authenticate: required(either((given) => typeof given === 'function', aFunction, oneOf('everybody'))),
}

/**
 * Answers requests for an agent: `POST` of JSON-RPC, streamed as server-sent events where the client asks for it, and `GET` of the
 * card at `/.well-known/agent-card.json`. Where the stream is closed, the run goes on. Throws a `ConfigurationError` for a
 * wrong option.
 */
export function a2aFetch(
  handler: A2ARequestHandler,
  options: A2aFetchOptions,
): (request: Request) => Promise<Response> {
  const { authenticate } = readOptions<A2aFetchOptions>(options, 'a2aFetch', fields)
  const transport = new JsonRpcTransportHandler(handler)
  return async (request) => {
    if (request.method === 'GET' && new URL(request.url).pathname.endsWith(`/${AGENT_CARD_PATH}`))
      return Response.json(AgentCard.toJSON(await handler.getAgentCard()))
    if (request.method !== 'POST') return refused(405, 'Use POST.', { allow: 'GET, POST' })
    if (!isJson(request)) return refused(415, 'Send JSON.')
    const user = authenticate === 'everybody' ? undefined : await authenticate(request)
    if (user === undefined && authenticate !== 'everybody') return refused(401, 'Say who calls.')
    try {
      const context = contextOf(request, user)
      validateVersion(context.requestedVersion, await handler.getAgentCard(), 'JSONRPC')
      return await answered(await transport.handle(await request.text(), context))
    } catch (error) {
      return Response.json({
        jsonrpc: '2.0',
        id: null,
        error: JsonRpcTransportHandler.mapToJSONRPCError(error),
      })
    }
  }
}

function refused(status: number, text: string, headers: Record<string, string> = {}): Response {
  return new Response(text, { status, headers })
}

/** A page of another origin cannot send JSON without being asked first. */
function isJson({ headers }: Request): boolean {
  return /^application\/(a2a\+)?json\b/i.test(headers.get('content-type') ?? '')
}

function contextOf({ headers }: Request, user: A2aUser | undefined): ServerCallContext {
  const requestedVersion = headers.get(A2A_VERSION_HEADER)
  const known: User | undefined = user && { isAuthenticated: true, userName: user.userName }
  return defaultServerCallContextBuilder({
    extensions: undefined,
    user: known,
    headers: Object.fromEntries(headers),
    ...(requestedVersion === null ? {} : { requestedVersion }),
  })
}

type Answered = Awaited<ReturnType<JsonRpcTransportHandler['handle']>>

async function answered(answer: Answered): Promise<Response> {
  if (!(Symbol.asyncIterator in answer)) return Response.json(answer)
  const encoder = new TextEncoder()
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const next = await answer.next()
      if (next.done === true) controller.close()
      else controller.enqueue(encoder.encode(formatSSEEvent(next.value)))
    },
    async cancel() {
      await answer.return()
    },
  })
  return new Response(body, { headers: streamed })
}
