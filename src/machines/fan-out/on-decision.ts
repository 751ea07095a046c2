/** What follows where goals were asked for: they become the next round; without means the last turn comes. */
import { noUsage } from '../../actors/usage.ts'
import type { ErrorData } from '../../errors.ts'
import { decided, undecided } from '../loop/choosing.ts'
import type { Report } from '../loop/record.ts'
import { failure } from '../params.ts'
import { goalsOf } from './goals.ts'

interface Reported {
  readonly event: { readonly actorId: string; readonly output: Report }
}

const childOf = ({ event }: { event: { actorId: string } }) => ({ child: event.actorId })

const reportOf = ({ event }: Reported) => ({ child: event.actorId, report: event.output })

/** What the decision was, and what it cost: the round that it leads to is a step. */
const planned = (reported: Reported) => {
  const { output } = reported.event
  return { goals: goalsOf(decided(reported)), spent: 'decision' in output ? output.usage : noUsage }
}

const settled = [
  { type: 'recordReport', params: reportOf },
  { type: 'reap', params: childOf },
] as const

const crashed = [
  {
    type: 'recordCrash',
    params: ({ event }: { event: { actorId: string; error: unknown } }) => ({
      child: event.actorId,
      error: failure({ event }),
    }),
  },
  { type: 'reap', params: childOf },
] as const

/** `ends`: without that decision there is nothing to go on. */
export function onDecision<const Made extends string, const Failed extends string>(
  made: Made,
  failed: { readonly target: Failed; readonly ends: boolean },
) {
  const end = (error: ErrorData) => ({ outcome: 'failed' as const, error })
  return {
    'xstate.done.actor.*': [
      {
        guard: { type: 'isMade' as const, params: reportOf },
        target: made,
        actions: [...settled, { type: 'planRound' as const, params: planned }],
      },
      {
        guard: { type: 'lacksBudget' as const, params: undecided },
        target: '#exhausting',
        actions: [
          ...settled,
          { type: 'announceError' as const, params: undecided },
          { type: 'end' as const, params: { outcome: 'exhausted' as const, reason: 'budget' } },
        ],
      },
      {
        target: failed.target,
        actions: [
          ...settled,
          { type: 'announceError' as const, params: undecided },
          ...(failed.ends
            ? [{ type: 'end' as const, params: (args: Reported) => end(undecided(args)) }]
            : []),
        ],
      },
    ],
    'xstate.error.actor.*': {
      target: failed.target,
      actions: [
        ...crashed,
        { type: 'announceError' as const, params: failure },
        ...(failed.ends
          ? [
              {
                type: 'end' as const,
                params: (args: { event: { error: unknown } }) => end(failure(args)),
              },
            ]
          : []),
      ],
    },
  }
}
