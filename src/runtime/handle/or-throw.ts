/** `orThrow`: the result of a run, for callers that do not go on after a failure. */
import { errorOf, type TroupeError } from '../../errors.ts'
import type { RunResult } from './result.ts'

export type FailedResult = Extract<RunResult, { readonly outcome: 'failed' }>

/** Returns the result of a run that has not failed, as it is. Throws the `TroupeError` of a run that has, with its code and its `runId`. */
export function orThrow<Result extends RunResult>(
  result: Result,
): Exclude<Result, { readonly outcome: 'failed' }> {
  if (result.outcome === 'failed') throw failureOf(result)
  return result as Exclude<Result, { readonly outcome: 'failed' }>
}

/**
 * The error of a run that has failed. One that a chart has found, such as a missing quorum, has the first failure of a model in the
 * tree as its cause: a person who reads it learns what to mend.
 */
export function failureOf({ error, errors, runId }: FailedResult): TroupeError {
  const isOfEffect = errors.some((one) => one.effect !== undefined && one.error.code === error.code)
  const model = errors.find(({ effect }) => effect?.kind === 'model')
  if (error.cause !== undefined || isOfEffect || model === undefined) return errorOf(error, runId)
  return errorOf({ ...error, cause: model.error }, runId)
}
