/** `compacting`: a conversation that leaves no room for the question is made shorter, by a child that reports at the root. */
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

export const compacting = {
  description: 'Summaries replace the earlier messages of the conversation.',
  entry: 'startCompaction',
  always: [
    { guard: 'mayAskAfterCompaction', target: 'asking' },
    { guard: 'isCompactionOver', target: 'failed', actions: 'recordTooLong' },
  ],
  on: {
    cancel: { target: 'cancelling', actions: 'endCompaction' },
    'budget.spent': {
      target: 'expiring',
      actions: ['endCompaction', { type: 'recordError', params: spentError }],
    },
  },
} as const

/** The compaction is asked to end, and reports before the decision does. */
export function closing<const Ended extends string>(ended: Ended, description: string) {
  return {
    description,
    always: { guard: 'isCompactionOver', target: ended },
    on: { cancel: {}, 'budget.spent': {} },
  } as const
}

/** The server refuses a request that is too long: the conversation is made shorter once, and the question asked again. */
export const refusedForLength = {
  guard: { type: 'mayCompact', params: failure },
  target: 'compacting',
  actions: [
    { type: 'countFailure', params: failure },
    { type: 'announceRetry', params: failure },
    'countOverflow',
  ],
} as const
