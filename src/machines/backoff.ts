/** How long to wait before another attempt. */
import type { ErrorData } from '../errors.ts'

const firstDelay = 500
const longestDelay = 30_000

/** Milliseconds before attempt `failures + 1`: doubling from 500 up to 30 000, and never less than the server asked for. */
export function backoffDelay(failures: number, error: ErrorData | undefined): number {
  const delay = Math.min(longestDelay, firstDelay * 2 ** Math.max(0, failures - 1))
  return Math.max(delay, error?.retryAfterMs ?? 0)
}
