/** Actions by which an agent ends because something failed. */
import type { ErrorData } from '../../../errors.ts'
import { atLimit, lacksUsage, unknownUsage } from '../../contract/spent.ts'
import { failure } from '../../shared/params.ts'
import type { Ending } from '../changes/context.ts'

export interface Failed {
  readonly event: { readonly error: unknown }
}

/** The end of an agent for which this error is final. */
export function failedWith(error: ErrorData): Ending {
  return lacksUsage(error) ? unknownUsage(error) : { outcome: 'failed', error }
}

export const announceFailure = { type: 'announceError', params: failure } as const

export const endFailed = {
  type: 'end',
  params: ({ event }: Failed): Ending => ({ outcome: 'failed', error: failure({ event }) }),
} as const

/** A hook or the memory failed, and the agent with it. */
export const endAndAnnounceFailure = [endFailed, announceFailure] as const

/** The model failed for good, or the budget cannot be checked any more. */
export const modelFailed = [
  { type: 'end', params: ({ event }: Failed): Ending => failedWith(failure({ event })) },
  announceFailure,
] as const

/** The budget is used up, or the cap on steps that the agent has by now is reached. */
export const outOfBudget = [
  { type: 'end', params: ({ event }: Failed): Ending => atLimit(failure({ event })) },
  announceFailure,
] as const
