/** Our errors as Restate's: which of them end an invocation, and which let it be tried again. */
import { RetryableError as RestateRetryable, TerminalError as RestateTerminal } from '@restatedev/restate-sdk'
import {
  ConfigurationError,
  JournalMismatchError,
  RetryableError,
  TroupeError,
  toErrorData,
  type ErrorData,
} from '../../errors.ts'

/**
 * What the performers of effects throw never gets here: it is an outcome, and the statechart decides. What does is a
 * fault of the deployment. One whose agents do not fit what is recorded may be mended by another deployment: it is
 * tried again, and paused by Restate after the attempts of its policy. Anything else of ours ends the run.
 */
export function toRestateError(error: unknown): RestateTerminal | undefined {
  if (!(error instanceof TroupeError) || error instanceof RetryableError) return undefined
  const isMendable = error instanceof JournalMismatchError && error.mismatch.field !== 'protocol'
  if (isMendable) return undefined
  const { code, message, name } = toErrorData(error)
  const errorCode = error instanceof ConfigurationError ? 400 : 500
  return new RestateTerminal(message, { errorCode, metadata: { code, name } })
}

/** A `RetryableError` of ours with the delay that it asks for; anything else as it is. */
export function forRestate(error: unknown): unknown {
  if (!(error instanceof RetryableError)) return error
  const { retryAfterMs } = error
  return RestateRetryable.from(error, retryAfterMs === undefined ? {} : { retryAfter: retryAfterMs })
}

/** Why another workflow came to no end of its own, as plain data. */
export function fromRestateError({ message, metadata }: RestateTerminal, fallbackCode: string): ErrorData {
  return {
    name: metadata?.['name'] ?? 'TerminalError',
    code: metadata?.['code'] ?? fallbackCode,
    message,
  }
}
