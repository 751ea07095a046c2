/** Why the time of the run is up, read off the event that says so. */
import type { ErrorData } from '../../../errors.ts'
import type { BudgetSpentEvent } from '../../contract/cancel.ts'

export const spentError = ({ event }: { readonly event: { readonly type: string } }): ErrorData =>
  (event as BudgetSpentEvent).error
