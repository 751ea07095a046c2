/** The arguments of a `fetch` as the data of one exchange. */
import type { OutgoingHttpHeaders } from 'node:http'

export interface Outgoing {
  readonly url: URL
  readonly protocol: 'http:' | 'https:'
  readonly method: string
  readonly headers: OutgoingHttpHeaders
  readonly body: string | Uint8Array | undefined
  readonly signal: AbortSignal | undefined
  readonly redirect: NonNullable<RequestInit['redirect']>
  /** The call was redirected to this address. */
  readonly isRedirected: boolean
}

/** Rejects with a `TypeError` for an address that is none, or neither `http:` nor `https:`, and with the reason of the signal. */
export async function readRequest(input: string | URL | Request, init: RequestInit = {}): Promise<Outgoing> {
  const given = input instanceof Request ? input : undefined
  const url = new URL(given?.url ?? (input as string | URL))
  const headers = headersOf(init.headers ?? given?.headers)
  const signal = init.signal ?? given?.signal ?? undefined
  const body = await bodyOf(given !== undefined && init.body == null ? given : init.body, headers, signal)
  if (body !== undefined) headers['content-length'] = Buffer.byteLength(body)
  return {
    url,
    protocol: protocolOf(url),
    method: (init.method ?? given?.method ?? 'GET').toUpperCase(),
    headers,
    body,
    signal,
    redirect: init.redirect ?? given?.redirect ?? 'follow',
    isRedirected: false,
  }
}

export function protocolOf({ protocol }: URL): Outgoing['protocol'] {
  if (protocol === 'http:' || protocol === 'https:') return protocol
  throw new TypeError(`fetch: the address must begin with http: or https:, not ${protocol}`)
}

const defaults: OutgoingHttpHeaders = { accept: '*/*', 'accept-encoding': 'gzip, deflate, br' }

function headersOf(given: RequestInit['headers']): OutgoingHttpHeaders {
  const headers = { ...defaults }
  for (const [name, value] of given instanceof Headers ? given : new Headers(given)) headers[name] = value
  return headers
}

/**
 * Text and bytes go as they are, a blob with its own type: a server framework may have replaced the global `Response` by
 * one that does not look at it. The platform reads any other body, and knows the type of its content.
 */
async function bodyOf(
  given: RequestInit['body'] | Request,
  headers: OutgoingHttpHeaders,
  signal: AbortSignal | undefined,
): Promise<string | Uint8Array | undefined> {
  if (given == null) return undefined
  if (typeof given === 'string') {
    headers['content-type'] ??= 'text/plain;charset=UTF-8'
    return given
  }
  if (given instanceof Uint8Array) return given
  if (given instanceof Blob) {
    if (given.type !== '') headers['content-type'] ??= given.type
    return new Uint8Array(await given.arrayBuffer())
  }
  if (given instanceof Request && given.body === null) return undefined
  const read = given instanceof Request ? given : new Response(given)
  const type = read.headers.get('content-type')
  if (type !== null) headers['content-type'] ??= type
  const bytes = signal === undefined ? read.arrayBuffer() : readUntil(signal, read)
  return new Uint8Array(await bytes)
}

/** A body may be a stream without an end. Rejects with the reason of the signal, and cancels the stream. */
function readUntil(signal: AbortSignal, { body }: Request | Response): Promise<ArrayBuffer> {
  return new Response(body?.pipeThrough(new TransformStream(), { signal })).arrayBuffer()
}
