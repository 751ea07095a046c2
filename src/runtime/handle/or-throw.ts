/** `orThrow`: the result of a run, for callers that do not go on after a failure. */
import { errorOf } from '../../errors.ts'
import type { RunResult } from './result.ts'

/** Returns the result of a run that has not failed, as it is. Throws the `TroupeError` of a run that has, with its code and its `runId`. */
export function orThrow<Result extends RunResult>(
  result: Result,
): Exclude<Result, { readonly outcome: 'failed' }> {
  if (result.outcome === 'failed') throw errorOf(result.error, result.runId)
  return result as Exclude<Result, { readonly outcome: 'failed' }>
}
