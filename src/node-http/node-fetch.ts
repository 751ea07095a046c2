/** A `fetch` over `node:http` and `node:https`: redirects are followed here, a single exchange is made elsewhere. */
import { Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import { aCount, having } from '../actors/strict/checks.ts'
import { optional, readOptions, withDefault, type Fields } from '../actors/strict/read-options.ts'
import { exchange } from './exchange.ts'
import { readRequest, type Outgoing } from './outgoing.ts'
import { redirected } from './redirect.ts'

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
