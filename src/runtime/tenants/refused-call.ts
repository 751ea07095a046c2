/** Model calls that no budget counts, of a run or of a tenant. */
import type { ErrorData } from '../../errors.ts'

/** Errors of calls that were refused before they were made. */
const notMade: ReadonlySet<string> = new Set([
  'BUDGET_EXCEEDED',
  'STEPS_EXCEEDED',
  'ITERATIONS_EXCEEDED',
  'MODEL_NOT_PRICED',
  'CIRCUIT_OPEN',
  'USAGE_UNKNOWN',
])

/** Whether a call that ended so was refused before it was made: no budget counts it. */
export function wasRefused({ error }: { readonly error?: ErrorData | undefined }): boolean {
  return notMade.has(error?.code ?? '')
}
