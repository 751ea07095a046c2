/** Events that end a machine early. A machine that receives one still reports its outcome. */
import type { ErrorData } from '../../errors.ts'

/** The event that cancels a machine. */
export interface CancelEvent {
  readonly type: 'cancel'
  /** `bail`: another agent's answer ends the run; tools in flight may finish. */
  readonly cause: 'cancel' | 'timeout' | 'bail'
  readonly reason?: string
}

/** Ends a delegation whose time is up, by a deadline that several delegations share. */
export interface TimeoutEvent {
  readonly type: 'timeout'
  /** The deadline, in milliseconds. */
  readonly after: number
}

/**
 * Ends a machine when the time of its run is up. The machine makes no further call, and still reports its outcome.
 */
export interface BudgetSpentEvent {
  readonly type: 'budget.spent'
  /** Names the limit. */
  readonly error: ErrorData
}

type Ending = { readonly type: string }

/** The reason of the abort signals that an event fires. `undefined`: it has none. */
export function causeOf(event: Ending): ErrorData | undefined {
  if (event.type === 'budget.spent') return spentError({ event })
  if (event.type !== 'cancel') return undefined
  const { cause, reason = 'Cancelled' } = event as CancelEvent
  return cause === 'timeout'
    ? { name: 'TimeoutError', code: 'DELEGATION_TIMEOUT', message: reason }
    : { name: 'CancelledError', code: 'CANCELLED', message: reason }
}

/** How the event that ends a machine ends its effects: one that has expired may still record its late result. */
export function abortOrExpire(event: Ending): 'expire' | 'abort' {
  const isTimeout =
    event.type === 'timeout' ||
    event.type === 'budget.spent' ||
    ('cause' in event && event.cause === 'timeout')
  return isTimeout ? 'expire' : 'abort'
}

/** The error of a `budget.spent` event. */
export const spentError = ({ event }: { readonly event: { readonly type: string } }): ErrorData =>
  (event as BudgetSpentEvent).error
