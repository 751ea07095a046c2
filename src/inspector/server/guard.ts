/** Decides which requests are answered: those of the page that this server has served, on this machine. */
import { isOwnHost, isToken } from '../../kit/host.ts'
import { forbidden, unauthorised } from '../../kit/wire/index.ts'
import type { IncomingMessage } from 'node:http'

/** The address that the server listens on. */
export const host = '127.0.0.1'

/**
 * Throws a `RefusedRequest` for a request by a foreign name, which a foreign page can make lead here, and for one that a
 * page of another origin has made.
 */
export function assertOwn({ headers }: IncomingMessage): void {
  const { host: named, origin, 'sec-fetch-site': site } = headers
  if (!isOwnHost(named, host)) {
    throw forbidden('The inspector answers to the names of this machine alone.')
  }
  const isForeign = origin !== undefined && origin !== `http://${named}`
  if (isForeign || site === 'cross-site' || site === 'same-site') {
    throw forbidden('The inspector answers its own page alone.')
  }
}

/** Throws a `RefusedRequest` for a request without the token. */
export function assertToken({ headers }: IncomingMessage, token: string): void {
  if (isToken(headers.authorization ?? '', `Bearer ${token}`)) return
  throw unauthorised('The token is missing or wrong: open the address that the inspector has printed.')
}

/** What every answer says. The page loads from its own server alone, and is in no frame. */
export const safeHeaders: Readonly<Record<string, string>> = {
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    "img-src 'self' data: blob:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
}
