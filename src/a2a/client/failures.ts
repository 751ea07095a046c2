/** The failures of requests to another system, as errors of the library: the class decides whether they are repeated. */
import { CancelledError, RetryableError, TerminalError, TroupeError } from '../../index.ts'
import {
  A2A_ERROR_CODE,
  isJsonRpcError,
  TaskNotCancelableError,
  TaskNotFoundError,
  UnsupportedOperationError,
} from '@a2a-js/sdk/errors'

/** Characters of a text of another system in an error. */
const longest = 1_000

/** A text of another system, cut where it is long. */
export function shortened(text: string): string {
  return text.length <= longest ? text : `${text.slice(0, longest)}…`
}

/** The error that a request ends with. */
export function failureOf(thrown: unknown, agent: string, signal: AbortSignal): TroupeError {
  const ours = errorsIn(thrown).find((error) => error instanceof TroupeError)
  if (ours !== undefined) return ours
  if (signal.aborted) return new CancelledError(`The request to "${agent}" was cancelled.`, { cause: thrown })
  const names = errorsIn(thrown).map(({ name }) => name)
  if (names.includes('TimeoutError'))
    return new RetryableError(`"${agent}" did not answer in time.`, { code: 'REMOTE_TIMEOUT', cause: thrown })
  const message = wordsOf(thrown)
  if (codeOf(thrown) === A2A_ERROR_CODE.INTERNAL_ERROR)
    return new RetryableError(`"${agent}" failed: ${shortened(message)}`, {
      code: 'REMOTE_UNAVAILABLE',
      cause: thrown,
    })
  return new TerminalError(`"${agent}" refused the request: ${shortened(message)}`, {
    code: 'REMOTE_REFUSED',
    cause: thrown,
  })
}

/** What an error of any kind says. */
export function wordsOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown)
}

/** The error and its causes. */
export function errorsIn(thrown: unknown): readonly Error[] {
  const chain: Error[] = []
  for (let error = thrown; error instanceof Error && !chain.includes(error); error = error.cause)
    chain.push(error)
  return chain
}

/** The task has ended, or its server does not know it. */
export function isOver(thrown: unknown): boolean {
  return (
    thrown instanceof TaskNotCancelableError || thrown instanceof TaskNotFoundError || isUnsupported(thrown)
  )
}

/** The server does not have the operation, or not for a task that has ended. */
export function isUnsupported(thrown: unknown): boolean {
  return thrown instanceof UnsupportedOperationError || codeOf(thrown) === A2A_ERROR_CODE.METHOD_NOT_FOUND
}

function codeOf(thrown: unknown): number | undefined {
  return isJsonRpcError(thrown) ? thrown.envelopeCode : undefined
}
