/** The errors of timeouts: a tool, a model, or another function of the user's did not answer in time. */
import type { ErrorData } from '../errors.ts'

/** Error codes of a tool, of a model, and of any other function of the user's. */
export const timeoutCodes = {
  tool: 'TOOL_TIMEOUT',
  model: 'MODEL_TIMEOUT',
  other: 'HOOK_TIMEOUT',
} as const

/** The error of a user's function that did not answer in time. */
export function hookTimeout(what: string, after: string): ErrorData {
  return timedOut(timeoutCodes.other, `${what} did not answer ${after}`)
}

export function timedOut(code: string, message: string): ErrorData {
  return { name: 'TimeoutError', code, message }
}

/** The longest wait in milliseconds that a server may ask for: an hour. A call of which it asks for more fails. */
export const longestRetryAfter = 3_600_000
