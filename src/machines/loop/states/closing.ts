/**
 * `bailing`, `dismissing`, `expiring`, `cancelling`: all children are asked to end, and report before the agent goes
 * on.
 */
import { spentError, type CancelEvent } from '../../contract/cancel.ts'
import { arrow, optionalArrow } from '../../shared/arrow.ts'
import { tooLateForSayings } from '../sayings.ts'
import { loopSetup } from '../setup.ts'

export const announceOutOfTime = { type: 'announceError', params: spentError } as const

/** Records that the time of an agent is up, while its effects go on. */
export const recordOutOfTime = [
  { type: 'end', params: { outcome: 'exhausted', reason: 'budget' } },
  announceOutOfTime,
] as const

/** The end of an agent whose time is up. */
export const outOfTime = ['abortEffects', ...recordOutOfTime] as const

interface Targets {
  /** No child is live. */
  readonly closed: string
  /** A cancel crosses the end. Where it is not named, a cancel changes nothing. */
  readonly cancelled?: string
}

/** The step under way is lost. */
export function closing(to: Targets) {
  return loopSetup.createStateConfig({
    always: arrow('noLiveChildren', to.closed),
    on: {
      cancel: to.cancelled === undefined ? {} : { target: `#${to.cancelled}` },
      'budget.spent': {},
      ...tooLateForSayings,
    },
  })
}

interface ExpiringTargets {
  /** No child is live. The results of the step under way count. */
  readonly closed: string
  /** A child has bailed instead. */
  readonly bailed?: string
}

export function expiring(to: ExpiringTargets) {
  return loopSetup.createStateConfig({
    description: 'The time of the run is up. Children at work are asked to end, and report first.',
    entry: [...outOfTime, 'expireChildren', 'settleUnstarted'],
    always: [...optionalArrow('isBailing', to.bailed), arrow('noLiveChildren', to.closed, 'closeOpenStep')],
    on: { 'budget.spent': {} },
  })
}

export interface Cancelled {
  readonly event: { readonly type: string }
}

const cancelOf = ({ event }: Cancelled) => event as CancelEvent

const reasonOf = ({ event }: Cancelled) => {
  const { reason } = cancelOf({ event })
  return reason === undefined ? {} : { reason }
}

/** Records that the run was cancelled, while its effects go on. */
export const recordCancel = [
  { type: 'announceAbort', params: reasonOf },
  {
    type: 'end',
    params: ({ event }: Cancelled) => ({
      outcome: 'cancelled' as const,
      ...reasonOf({ event }),
      ...(cancelOf({ event }).cause === 'bail' ? { partial: '' } : {}),
    }),
  },
] as const

/** The run was cancelled. */
export const startCancel = [
  'abortEffects',
  ...recordCancel,
  { type: 'cancelChildren', params: cancelOf },
] as const

interface DismissingTargets {
  /** No child is live. */
  readonly closed: string
  readonly cancelled: string
}

/** `dismissing`, within `finishing`. `reason`: for the calls. */
export function dismissing(to: DismissingTargets, reason: string) {
  return loopSetup.createStateConfig({
    description: 'The agent ends. Calls in the background are asked to cancel, and report first.',
    entry: { type: 'cancelChildren', params: { cause: 'cancel', reason } },
    always: arrow('noLiveChildren', to.closed),
    on: { cancel: { target: `#${to.cancelled}` } },
  })
}

/** `cancelling`: a second cancel changes nothing. */
export function cancelling(to: { readonly closed: string }) {
  return {
    description: 'The run was cancelled. All children are asked to end, and report first.',
    entry: startCancel,
    ...closing(to),
  } as const
}

const startBail = [
  { type: 'end', params: { outcome: 'bailed' } },
  { type: 'cancelChildren', params: { cause: 'bail', reason: 'Another agent bailed.' } },
] as const

/** `bailing`: a cancel changes nothing. */
export function bailing(to: { readonly closed: string }) {
  return {
    description:
      'The answer of a subagent is the answer of the run. All others are asked to end, and report first.',
    entry: startBail,
    ...closing(to),
    always: arrow('noLiveChildren', to.closed, 'cutOpenStep'),
  } as const
}
