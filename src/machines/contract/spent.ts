/** Reads from the error of a model call that was not made whether the budget of the run is used up. */
import type { ErrorData } from '../../errors.ts'

/** A limit is reached: the agent ends, after a final turn. */
export function isOverBudget(error: ErrorData | undefined): boolean {
  return error?.code === 'BUDGET_EXCEEDED'
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
