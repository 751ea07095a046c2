/** The events by which a machine is told to end. Whoever gets one still owes its outcome, and reports it. */
import type { LetGoReason } from '../../actors/effect.ts'
import type { ErrorData } from '../../errors.ts'

export interface CancelEvent {
  readonly type: 'cancel'
  /** `bail`: another agent's answer ends the run; tools in flight may finish. */
  readonly cause: 'cancel' | 'timeout' | 'bail'
  readonly reason?: string
}

/** Tells a delegation that its time is up: for a deadline that several of them share. */
export interface TimeoutEvent {
  readonly type: 'timeout'
  /** Milliseconds that it was given. */
  readonly after: number
}

/** Tells a machine that the time of its run is up. It makes no further call, and still owes its outcome. */
export interface BudgetSpentEvent {
  readonly type: 'budget.spent'
  /** Names the limit. */
  readonly error: ErrorData
}

/** Why a machine that is told to end lets its effects go. What comes after a deadline is still recorded. */
export function letGoReason(event: { readonly type: string }): LetGoReason {
  const isTimeout =
    event.type === 'timeout' ||
    event.type === 'budget.spent' ||
    ('cause' in event && event.cause === 'timeout')
  return isTimeout ? 'expire' : 'abort'
}

/** Why the time of the run is up, read off the event that says so. */
export const spentError = ({ event }: { readonly event: { readonly type: string } }): ErrorData =>
  (event as BudgetSpentEvent).error
