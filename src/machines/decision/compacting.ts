/** `compacting`: a conversation that leaves no room for the question is made shorter, by a child that reports at the root. */
import { arrow } from '../shared/arrow.ts'
import { failure, output } from '../shared/params.ts'
import { spentError } from '../contract/cancel.ts'
import type { CompactionOutput } from '../contract/reports.ts'

const childOf = ({ event }: { readonly event: { readonly actorId: string } }) => ({ child: event.actorId })

const isCompaction = { type: 'isCompaction', params: childOf } as const
const reap = { type: 'reap', params: childOf } as const

/** The report of a compaction, for the root of the chart. */
export const compactions = {
  'xstate.done.actor.*': {
    guard: isCompaction,
    actions: [{ type: 'recordCompaction', params: output<CompactionOutput> }, reap],
  },
  'xstate.error.actor.*': {
    guard: isCompaction,
    actions: [{ type: 'recordCompactionCrash', params: failure }, reap],
  },
} as const

interface Targets {
  /** The question may be asked. */
  readonly fits: string
  /** The conversation is still too long. */
  readonly tooLong: string
  readonly cancelled: string
  readonly outOfTime: string
}

export function compacting(to: Targets) {
  return {
    description: 'Summaries replace the earlier messages of the conversation.',
    entry: 'startCompaction',
    always: [arrow('mayAskAfterCompaction', to.fits), arrow('isCompactionOver', to.tooLong, 'recordTooLong')],
    on: {
      cancel: { target: `#${to.cancelled}`, actions: 'endCompaction' },
      'budget.spent': {
        target: `#${to.outOfTime}`,
        actions: ['endCompaction', { type: 'recordError', params: spentError }],
      },
    },
  } as const
}

/** The compaction is asked to end, and reports before the decision does. */
export function closing(to: { readonly closed: string }, description: string) {
  return {
    description,
    always: arrow('isCompactionOver', to.closed),
    on: { cancel: {}, 'budget.spent': {} },
  } as const
}

/** The server refuses a request that is too long: the conversation is made shorter once, and the question asked again. */
export function refusedForLength(to: string) {
  return arrow({ type: 'mayCompact', params: failure } as const, to, [
    { type: 'countFailure', params: failure },
    { type: 'announceRetry', params: failure },
    'countOverflow',
  ] as const)
}
