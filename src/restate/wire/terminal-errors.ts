/** Converts Troupe's errors to Restate's: some of them end an invocation, others let it be retried. */
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
 * Exceptions of the performers of effects never get here: they are outcomes, and the statechart decides. The errors
 * that do are faults of the deployment. Where the agents do not fit the record, another deployment may mend it: the
 * invocation is retried, and paused by Restate after the attempts of its policy. Any other error of Troupe ends the
 * run.
 */
export function toRestateError(error: unknown): RestateTerminal | undefined {
  if (!(error instanceof TroupeError) || error instanceof RetryableError) return undefined
  const isMendable = error instanceof JournalMismatchError && error.mismatch.field !== 'protocol'
  if (isMendable) return undefined
  const { code, message, name } = toErrorData(error)
  const errorCode = error instanceof ConfigurationError ? 400 : 500
  return new RestateTerminal(message, { errorCode, metadata: { code, name } })
}

/** Converts a `RetryableError` of Troupe, with the delay that it names; returns any other error as it is. */
export function forRestate(error: unknown): unknown {
  if (!(error instanceof RetryableError)) return error
  const { retryAfterMs } = error
  return RestateRetryable.from(error, retryAfterMs === undefined ? {} : { retryAfter: retryAfterMs })
}

/** The failure of another workflow that came to no end of its own, as plain data. */
export function fromRestateError({ message, metadata }: RestateTerminal, fallbackCode: string): ErrorData {
  return {
    name: metadata?.['name'] ?? 'TerminalError',
    code: metadata?.['code'] ?? fallbackCode,
    message,
  }
}

/** Whether a durable promise was not resolved because it had been resolved before. */
export function isRefused(error: unknown): boolean {
  return error instanceof RestateTerminal && error.code === 409
}
