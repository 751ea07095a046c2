/** The wait that a server asks for, from its response headers (RFC 9110, section 10.2.3). */
import { isRecord } from '../../values/json.ts'

/** In milliseconds, never negative; `undefined` where the headers state none, or none that can be read. */
export function retryAfterMs(headers: unknown, now: number): number | undefined {
  const milliseconds = Number.parseFloat(header(headers, 'retry-after-ms'))
  if (milliseconds >= 0 && Number.isFinite(milliseconds)) return milliseconds
  const retryAfter = header(headers, 'retry-after').trim()
  if (retryAfter === '') return undefined
  const seconds = Number(retryAfter)
  if (seconds >= 0) return Number.isFinite(seconds) ? seconds * 1000 : undefined
  const date = Date.parse(retryAfter)
  return Number.isNaN(seconds) && !Number.isNaN(date) ? Math.max(0, date - now) : undefined
}

function header(headers: unknown, name: string): string {
  return hasGet(headers) ? (headers.get(name) ?? '') : ''
}

/** Not `instanceof Headers`: a client's own `fetch` may have a class of its own. */
function hasGet(headers: unknown): headers is { get(name: string): string | null } {
  return isRecord(headers) && typeof headers['get'] === 'function'
}
