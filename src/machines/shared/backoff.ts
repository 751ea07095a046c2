/** How long to wait before another attempt. */
import type { ErrorData } from '../../errors.ts'

const firstDelay = 500
const longestDelay = 30_000

/**
 * The timer before attempt `failures + 1`: 500 ms, doubled up to 30 s, of which the second half is jitter; but never
 * less than the error asks for (`retryAfterMs`).
 */
export function backoff(failures: number, error: ErrorData | undefined): { delay: number; spread: number } {
  const half = Math.min(longestDelay, firstDelay * 2 ** Math.max(0, failures - 1)) / 2
  return { delay: Math.max(half, error?.retryAfterMs ?? 0), spread: half }
}
