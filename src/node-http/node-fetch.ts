/** A `fetch` over `node:http` and `node:https`: redirects are followed here, a single exchange is made elsewhere. */
import { type Fields, aCount, having, optional, readOptions, withDefault } from '../kit/index.ts'
import { Agent as HttpAgent, request as httpRequest, type Agent, type IncomingMessage } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import { readRequest, protocolOf, type Outgoing } from './outgoing.ts'
import { IncomingBody } from './incoming-body.ts'
import { IncomingResponse } from './incoming-response.ts'

/** The options of `nodeFetch`. */
export interface NodeFetchOptions {
  /**
   * The connections to `http:` addresses, for example those of a package for proxies. Default: an `Agent` that keeps
   * all connections, and goes through the proxy of the environment (`HTTP_PROXY`, `NO_PROXY`) where Node can.
   */
  readonly httpAgent?: HttpAgent
  /** The connections to `https:` addresses; certificates are its options. Default: as `httpAgent`, with `HTTPS_PROXY`. */
  readonly httpsAgent?: HttpsAgent
  /** The most redirects of one call. Default 20. */
  readonly maxRedirects?: number
}

type Fetch = typeof globalThis.fetch

const anAgent = having('an Agent of node:http or node:https', 'createConnection')

const fields = {
  httpAgent: optional(anAgent),
  httpsAgent: optional(anAgent),
  maxRedirects: withDefault(aCount, 20),
} satisfies Fields<NodeFetchOptions>

/**
 * Returns a `fetch` over `node:http` and `node:https`, for `openai(model, { fetch })` and for a client of one's own. It
 * streams, decompresses gzip, deflate and brotli, follows redirects, and ends with the signal. A body is sent whole, except
 * that of a `Request` or a form, which is read first. It rejects as `fetch` does: with the reason of the signal, and with a
 * `TypeError` whose `cause` is the error of the connection. Throws a `ConfigurationError`.
 */
export function nodeFetch(given: NodeFetchOptions = {}): Fetch {
  const options = readOptions<NodeFetchOptions>(given, 'nodeFetch', fields)
  const { maxRedirects = fields.maxRedirects.default } = options
  const settings = { keepAlive: true, maxFreeSockets: Infinity, proxyEnv: process.env }
  const agents = {
    'http:': options.httpAgent ?? new HttpAgent(settings),
    'https:': options.httpsAgent ?? new HttpsAgent(settings),
  }

  async function follow(outgoing: Outgoing, hops: number): Promise<Response> {
    const response = await exchange(outgoing, agents[outgoing.protocol])
    const next = redirected(outgoing, response, hops < maxRedirects)
    return next === undefined ? response : follow(next, hops + 1)
  }

  return async (input, init) => follow(await readRequest(input, init), 0)
}

/** Rejects with the reason of the signal, and with a `TypeError` for a connection that fails. */
async function exchange(outgoing: Outgoing, agent: Agent): Promise<Response> {
  const { url, protocol, method, headers, body, signal } = outgoing
  signal?.throwIfAborted()
  const { promise, resolve, reject } = Promise.withResolvers<Response>()
  const send = protocol === 'https:' ? httpsRequest : httpRequest
  const request = send(url, { method, headers, agent })

  let incomingBody: IncomingBody | undefined
  const onAbort = (): void => {
    reject(signal?.reason)
    incomingBody?.fail(signal?.reason)
    request.destroy()
  }
  const release = (): void => signal?.removeEventListener('abort', onAbort)
  signal?.addEventListener('abort', onAbort, { once: true })
  const onError = (cause: Error): void => {
    release()
    reject(new TypeError('fetch failed', { cause }))
  }
  request.on('error', onError)
  request.on('upgrade', (_incoming, socket) => {
    socket.destroy()
    onError(new Error('The server switches to another protocol.'))
  })
  request.on('response', (incoming) => {
    incomingBody = bodyOf(incoming, method, release)
    try {
      resolve(responseOf(outgoing, incoming, incomingBody))
    } catch (error) {
      reject(error)
      request.destroy()
    }
  })
  request.end(body)
  return promise
}

const withoutBody: readonly (number | undefined)[] = [101, 204, 205, 304]

/** `undefined` where there is none. */
function bodyOf(incoming: IncomingMessage, method: string, release: () => void): IncomingBody | undefined {
  if (method !== 'HEAD' && !withoutBody.includes(incoming.statusCode)) {
    return new IncomingBody(incoming, release)
  }
  incoming.resume()
  release()
  return undefined
}

function responseOf(
  { url, isRedirected }: Outgoing,
  { statusCode: status, statusMessage: statusText, rawHeaders }: IncomingMessage,
  body: IncomingBody | undefined,
): Response {
  const facts = { url: url.href.replace(/#.*/, ''), isRedirected, status, statusText, rawHeaders }
  return new IncomingResponse(facts, body)
}

const statuses: readonly number[] = [301, 302, 303, 307, 308]

/** A server at another origin must not receive them. */
const secrets = ['authorization', 'cookie', 'proxy-authorization', 'host']

/** They describe a body, and go with it. */
const ofBody = ['content-length', 'content-type', 'content-encoding', 'content-language', 'content-location']

/**
 * Returns the exchange to which the response leads; `undefined` where the response is the answer. Throws a `TypeError` where
 * the call may not be redirected, or not again.
 */
function redirected(outgoing: Outgoing, response: Response, mayFollow: boolean): Outgoing | undefined {
  const location = response.headers.get('location')
  if (!statuses.includes(response.status) || location === null || outgoing.redirect === 'manual') return
  void response.body?.cancel()
  if (outgoing.redirect === 'error')
    throw new TypeError('fetch: the server redirects, which the caller forbids')
  if (!mayFollow) throw new TypeError('fetch: the server redirects too often')
  const url = new URL(location, outgoing.url)
  const next = { ...outgoing, url, protocol: protocolOf(url), isRedirected: true }
  const withBody = dropsBody(response.status, outgoing.method)
    ? { ...next, method: 'GET', body: undefined, headers: without(outgoing.headers, ofBody) }
    : next
  return url.origin === outgoing.url.origin
    ? withBody
    : { ...withBody, headers: without(withBody.headers, secrets) }
}

function dropsBody(status: number, method: string): boolean {
  if (status === 303) return method !== 'GET' && method !== 'HEAD'
  return (status === 301 || status === 302) && method === 'POST'
}

function without(headers: Outgoing['headers'], names: readonly string[]): Outgoing['headers'] {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !names.includes(name)))
}
