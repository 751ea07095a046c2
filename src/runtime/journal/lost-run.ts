/**
 * Errors of a handle that can no longer follow its run. None of these ends the run: its journal goes on wherever it is
 * resumed. Each error names the run.
 */
import { StoreError, toErrorData, TroupeClosedError, TroupeError } from '../../errors.ts'

/** The troupe was closed while the run was under way, or has released it while it drained. */
export function closedError(runId: string, phase?: 'draining' | 'closed'): TroupeClosedError {
  return new TroupeClosedError(runId, phase)
}

/** The store refused. Its code is that of the store's error; errors of other kinds are `STORE_FAILED`. */
export function storeFailure(runId: string, what: string, cause: unknown): StoreError {
  const message = `${what} of the run "${runId}": ${sentence(cause)} It can be resumed from what was written.`
  return new StoreError(message, {
    cause,
    runId,
    ...(cause instanceof StoreError ? { code: cause.code } : {}),
  })
}

/** The files of a prompt were not stored: the run did not begin. Its code is that of the cause. */
export function filesRefused(runId: string, cause: unknown): TroupeError {
  const message = `The run "${runId}" did not begin, because the files of its prompt were not stored: ${sentence(cause)}`
  if (cause instanceof TroupeError && !(cause instanceof StoreError))
    return new TroupeError(cause.code, message, { cause, runId })
  return new StoreError(message, { cause, runId, ...(cause instanceof StoreError && { code: cause.code }) })
}

/** Any other error that stops the run here, with its own code. */
export function lostRun(runId: string, cause: unknown): TroupeError {
  if (cause instanceof TroupeError && cause.runId === runId) return cause
  if (cause instanceof StoreError) return storeFailure(runId, 'The store failed in the middle', cause)
  const { code } = toErrorData(cause, 'ENGINE_FAILED')
  const message = `The run "${runId}" cannot go on here: ${sentence(cause)} It can be resumed.`
  return new TroupeError(code, message, { cause, runId })
}

function sentence(cause: unknown): string {
  const { message } = toErrorData(cause)
  return /[.!?]$/.test(message) ? message : `${message}.`
}
