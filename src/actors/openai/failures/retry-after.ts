/** The wait that a server asks for, from its response headers (RFC 9110, section 10.2.3), and the longest wait that is kept. */
import { TerminalError, type RetryableError } from '../../../errors.ts'
import { longestRetryAfter } from '../../timeouts.ts'
import { isRecord } from '../../values/json.ts'

const decimal = /^\d+(?:\.\d+)?$/

/** The three forms of a date begin with the name of a day; `Date.parse` reads much more as a date. */
const date = /^(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*,? /i

/** In milliseconds, never negative; `undefined` where the headers state none, or none that can be read. */
export function retryAfterMs(headers: unknown, now: number): number | undefined {
  const milliseconds = header(headers, 'retry-after-ms')
  if (decimal.test(milliseconds)) return finite(Number(milliseconds))
  const retryAfter = header(headers, 'retry-after')
  if (decimal.test(retryAfter)) return finite(Number(retryAfter) * 1000)
  return date.test(retryAfter) ? finite(Math.max(0, Date.parse(retryAfter) - now)) : undefined
}

/** The error as it is. Where its server asks for too long a wait: an error that says so, and is not retried. */
export function withinPatience(error: RetryableError): RetryableError | TerminalError {
  const { message, retryAfterMs: asked = 0 } = error
  if (asked <= longestRetryAfter) return error
  const wait = `${Math.ceil(asked / 1000)} s before another call; the longest wait is ${longestRetryAfter / 1000} s`
  return new TerminalError(`${message} It asks for ${wait}.`, { code: 'RETRY_AFTER_TOO_LONG', cause: error })
}

function finite(value: number): number | undefined {
  return Number.isFinite(value) ? value : undefined
}

function header(headers: unknown, name: string): string {
  return hasGet(headers) ? (headers.get(name) ?? '').trim() : ''
}

/** Not `instanceof Headers`: a client's own `fetch` may have a class of its own. */
function hasGet(headers: unknown): headers is { get(name: string): string | null } {
  return isRecord(headers) && typeof headers['get'] === 'function'
}
