/** Reads from the error of a model call that was not made which limit is reached: the budget of the run, or a cap of today. */
import type { ErrorData } from '../../errors.ts'

/** The reasons of an agent that ends at a limit, by the code of the error of the call. */
const reasons: ReadonlyMap<string, string> = new Map([
  ['BUDGET_EXCEEDED', 'budget'],
  ['STEPS_EXCEEDED', 'maxSteps'],
  ['ITERATIONS_EXCEEDED', 'maxIterations'],
])

/** A limit is reached: the agent ends, after a final turn. */
export function isOverBudget(error: ErrorData | undefined): boolean {
  return error !== undefined && reasons.has(error.code)
}

/** The end of an agent whose call the limit has refused. */
export function atLimit({ code }: ErrorData) {
  return { outcome: 'exhausted', reason: reasons.get(code) ?? 'budget' } as const
}

/** A limit cannot be checked: the agent ends with the answer at hand, without a final turn. */
export function lacksUsage(error: ErrorData | undefined): boolean {
  return error?.code === 'USAGE_UNKNOWN'
}

/** No model call can be made any more. */
export function forbidsModelCalls(error: ErrorData | undefined): boolean {
  return isOverBudget(error) || lacksUsage(error)
}

/** The end of an agent whose usage is unknown. */
export function unknownUsage(error: ErrorData) {
  return { outcome: 'exhausted', reason: 'budget', error } as const
}
