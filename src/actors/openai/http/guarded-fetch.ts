/**
 * The `fetch` of a model: it notes the secrets that go out, limits the bytes of replies that the client reads, and ends
 * with the signal of the call.
 */
import type { ClientOptions } from 'openai'
import type { Secrets } from './secrets.ts'
import { TerminalError } from '../../../errors.ts'

export type Fetch = NonNullable<ClientOptions['fetch']>

export interface FetchGuard extends ReplyLimit {
  readonly secrets: Secrets
}

/** The most bytes of a reply, after decompression: these take the memory. */
interface ReplyLimit {
  readonly modelId: string
  readonly maxReplyBytes: number
}

/** A body of a stated length has no more bytes than that, unless it is compressed. */
function isKnownToFit({ headers }: Response, { maxReplyBytes }: ReplyLimit): boolean {
  const length = headers.get('content-length') ?? ''
  return /^\d+$/.test(length) && Number(length) <= maxReplyBytes && !headers.has('content-encoding')
}

function tooLarge({ modelId, maxReplyBytes }: ReplyLimit): TerminalError {
  const message = `Model "${modelId}" sent a reply of more than ${maxReplyBytes} bytes (maxReplyBytes).`
  return new TerminalError(message, { code: 'MODEL_REPLY_TOO_LARGE' })
}

const signalOfCall = Symbol('signal of a call')

/**
 * The options of a request that ends with the signal. The client makes a composite of a signal that it is given, which costs
 * more than the rest of the request's options; so it goes past the client, to `plainFetch`.
 */
export function endingWith(signal: AbortSignal): object {
  return { fetchOptions: { [signalOfCall]: signal } }
}

/** For replies that `readReply` reads. A request of the client's own, for a token, has no signal of a call: the client reads it. */
export function plainFetch(fetch: Fetch, guard: FetchGuard): Fetch {
  const ofTheClient = limitedFetch(fetch, guard, false)
  return async (input, init) => {
    const { [signalOfCall]: signal, ...given } = (init ?? {}) as RequestInit & {
      [signalOfCall]?: AbortSignal
    }
    if (signal === undefined) return ofTheClient(input, init)
    noteSecrets(input, init, guard)
    signal.throwIfAborted()
    const response = await fetch(input, { ...given, signal })
    return response.ok ? withLimitedText(response, guard) : withErrorBody(response, guard)
  }
}

// Limits the text of a response, with no stream of its own: the limit costs nothing where the body is known to fit.

/**
 * The same response. `text` and `json` reject with a `TerminalError`, `MODEL_REPLY_TOO_LARGE`, where the body is larger:
 * the driver calls them, or the client where a method that was replaced on its class lets it.
 */
function withLimitedText(response: Response, limit: ReplyLimit): Response {
  if (isKnownToFit(response, limit)) return response
  if (!(response.body instanceof ReadableStream)) return response // of a `fetch` with streams of its own
  const text = (): Promise<string> => readText(response, limit)
  const json = async (): Promise<unknown> => JSON.parse(await text()) as unknown
  // Defined, not assigned: those of a `Response` that a server framework has put in its place may be getters.
  return Object.defineProperties(response, {
    text: { configurable: true, value: text },
    json: { configurable: true, value: json },
  })
}

/** Its body is another once the response has been cloned. */
async function readText({ body }: Response, limit: ReplyLimit): Promise<string> {
  const reader = (body as ReadableStream<Uint8Array>).getReader()
  const decoder = new TextDecoder()
  let [text, bytes] = ['', 0]
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return text + decoder.decode()
    bytes += value.byteLength
    if (bytes > limit.maxReplyBytes) {
      void reader.cancel().catch(() => undefined) // the caller gets the refusal
      throw tooLarge(limit)
    }
    text += decoder.decode(value, { stream: true })
  }
}

/**
 * For replies that the client reads. `isStreaming`: a reply that is one JSON body all the same is passed on as a stream of
 * one event.
 */
export function limitedFetch(fetch: Fetch, guard: FetchGuard, isStreaming: boolean): Fetch {
  return async (input, init) => {
    noteSecrets(input, init, guard)
    const response = await fetch(input, init)
    if (!response.ok) return withErrorBody(response, guard)
    if (!(response.body instanceof ReadableStream)) return response // of a `fetch` with streams of its own
    const body = response.body.pipeThrough(limited(guard))
    if (!isStreaming) return withBody(response, body)
    return isJson(response) ? withBody(response, body.pipeThrough(asEvent())) : watched(response, body)
  }
}

// The client keeps to itself that a stream has said its end, `data: [DONE]`.

const done = new WeakMap<Response, () => boolean>()

/** Whether the stream of a response has said its end. */
export function isDone(response: Response): boolean {
  return done.get(response)?.() === true
}

function watched(response: Response, body: ReadableStream<Uint8Array>): Response {
  const decoder = new TextDecoder('latin1') // a letter for each byte: lines and the mark are ASCII
  let isOver = false
  let before = '\n'
  const watching = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      const text = before + decoder.decode(chunk)
      isOver ||= marks.some((mark) => text.includes(mark))
      before = text.slice(-longestMark)
      controller.enqueue(chunk)
    },
  })
  const made = withBody(response, body.pipeThrough(watching))
  done.set(made, () => isOver)
  return made
}

const marks = ['\ndata: [DONE]', '\ndata:[DONE]', '\rdata: [DONE]', '\rdata:[DONE]']
const longestMark = 14

// Reads the body of a reply. The client would read it too, with a timer and a listener for each body.

/**
 * Fulfils with the value of a JSON body, with `undefined` for an empty one, and with the text of a body of any other type.
 * Rejects with a `SyntaxError` for a body that is no JSON although its type says so.
 */
export async function readReply(response: Response): Promise<unknown> {
  const text = await response.text()
  if (text === '') return undefined
  return isJson(response) ? (JSON.parse(text) as unknown) : text
}

function isJson({ headers }: Response): boolean {
  return /^application\/([\w.-]+\+)?json\b/i.test(headers.get('content-type')?.trim() ?? '')
}

function noteSecrets(
  input: Parameters<Fetch>[0],
  init: RequestInit | undefined,
  { secrets }: FetchGuard,
): void {
  const request = input instanceof Request ? input : undefined
  secrets.addUrl(input instanceof Request ? input.url : input.toString())
  const headers = init?.headers ?? request?.headers
  secrets.addHeaders(headers instanceof Headers ? headers : new Headers(headers))
}

/** The client drops a failure while it reads the body of an error: so the body is read here. */
async function withErrorBody(response: Response, guard: FetchGuard): Promise<Response> {
  if (!(response.body instanceof ReadableStream)) return response
  return withBody(response, await new Response(response.body.pipeThrough(limited(guard))).arrayBuffer())
}

function limited(limit: ReplyLimit): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0
  return new TransformStream({
    transform(chunk, controller) {
      bytes += chunk.byteLength
      if (bytes <= limit.maxReplyBytes) controller.enqueue(chunk)
      else controller.error(tooLarge(limit))
    },
  })
}

const [prefix, end] = ['data: ', '\n\n'].map((text) => new TextEncoder().encode(text))
const space = 0x20

/** JSON as one server-sent event: a line break between its tokens equals a space, and within them there is none. */
function asEvent(): TransformStream<Uint8Array, Uint8Array> {
  return new TransformStream({
    start: (controller) => controller.enqueue(prefix),
    transform: (chunk, controller) =>
      controller.enqueue(chunk.map((byte) => (byte === 0x0a || byte === 0x0d ? space : byte))),
    flush: (controller) => controller.enqueue(end),
  })
}

function withBody({ status, statusText, headers }: Response, body: BodyInit): Response {
  return new Response(body, { status, statusText, headers })
}
