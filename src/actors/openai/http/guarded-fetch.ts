/** The `fetch` of a model: it limits the bytes of a reply, and notes the secrets that go out. */
import type { ClientOptions } from 'openai'
import { TerminalError } from '../../../errors.ts'
import type { Secrets } from './secrets.ts'

export type Fetch = NonNullable<ClientOptions['fetch']>

export interface FetchGuard {
  readonly modelId: string
  readonly maxReplyBytes: number
  readonly secrets: Secrets
}

/** `isStreaming`: a reply that is one JSON body all the same is passed on as a stream of one event. */
export function guardedFetch(fetch: Fetch, guard: FetchGuard, isStreaming: boolean): Fetch {
  return async (input, init) => {
    const request = input instanceof Request ? input : undefined
    guard.secrets.addUrl(input instanceof Request ? input.url : input.toString())
    const headers = init?.headers ?? request?.headers
    guard.secrets.addHeaders(headers instanceof Headers ? headers : new Headers(headers))
    const response = await fetch(input, init)
    if (!(response.body instanceof ReadableStream)) return response // of a `fetch` with streams of its own
    if (response.ok && !isStreaming && isKnownToFit(response, guard)) return response
    const body = response.body.pipeThrough(limited(guard))
    // The client drops a failure while it reads the body of an error: so the body is read here.
    if (!response.ok) return withBody(response, await new Response(body).arrayBuffer())
    return withBody(response, isStreaming && isJson(response) ? body.pipeThrough(asEvent()) : body)
  }
}

/** A body of a stated length has no more bytes than that, unless it is compressed. */
function isKnownToFit({ headers }: Response, { maxReplyBytes }: FetchGuard): boolean {
  const length = headers.get('content-length') ?? ''
  return /^\d+$/.test(length) && Number(length) <= maxReplyBytes && !headers.has('content-encoding')
}

/** Counts decompressed bytes: these take the memory. */
function limited({ modelId, maxReplyBytes }: FetchGuard): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0
  return new TransformStream({
    transform(chunk, controller) {
      bytes += chunk.byteLength
      if (bytes <= maxReplyBytes) return controller.enqueue(chunk)
      const message = `Model "${modelId}" sent a reply of more than ${maxReplyBytes} bytes (maxReplyBytes).`
      controller.error(new TerminalError(message, { code: 'MODEL_REPLY_TOO_LARGE' }))
    },
  })
}

function isJson({ headers }: Response): boolean {
  return /^application\/([\w.-]+\+)?json\b/i.test(headers.get('content-type')?.trim() ?? '')
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
