/** Decides which requests a server of this library answers, by token and `Host` header. For Node alone. */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { isIP } from 'node:net'

const loopbackNames: readonly string[] = ['127.0.0.1', 'localhost', '::1']

/** 256 random bits, safe in a URL. */
export function randomToken(): string {
  return randomBytes(32).toString('base64url')
}

/** Compares in constant time. */
export function isToken(given: string, token: string): boolean {
  return timingSafeEqual(digestOf(given), digestOf(token))
}

function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

export function isLoopback(name: string): boolean {
  return loopbackNames.includes(name)
}

/** The name in a `Host` header, without its port; empty where there is none. */
export function nameIn(host: string | undefined): string {
  const name = URL.parse(`http://${host ?? ''}`)?.hostname ?? ''
  return name.replace(/^\[|\]$/g, '')
}

/**
 * Whether a `Host` header may name a server that listens on `boundTo`. A foreign page can make its own name resolve to
 * this server, so a name must be known; an address cannot be made to lead elsewhere, and suffices for a server that
 * other machines reach.
 */
export function isOwnHost(host: string | undefined, boundTo: string, names: readonly string[] = []): boolean {
  const name = nameIn(host)
  if (isLoopback(name) || name === boundTo.toLowerCase()) return name !== ''
  if (names.some((known) => known.toLowerCase() === name)) return true
  return !isLoopback(boundTo) && isIP(name) !== 0
}
