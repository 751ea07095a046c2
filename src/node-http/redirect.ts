/** Follows a redirect as `fetch` does. */
import { protocolOf, type Outgoing } from './outgoing.ts'

const statuses: readonly number[] = [301, 302, 303, 307, 308]

/** A server at another origin must not receive them. */
const secrets = ['authorization', 'cookie', 'proxy-authorization', 'host']

/** They describe a body, and go with it. */
const ofBody = ['content-length', 'content-type', 'content-encoding', 'content-language', 'content-location']

/**
 * Returns the exchange to which the response leads; `undefined` where the response is the answer. Throws a `TypeError` where
 * the call may not be redirected, or not again.
 */
export function redirected(outgoing: Outgoing, response: Response, mayFollow: boolean): Outgoing | undefined {
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
