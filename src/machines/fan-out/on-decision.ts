/** What follows where goals were asked for: they become the next round; without means the last turn comes. */
import { noUsage } from '../../actors/usage.ts'
import { decided } from '../loop/changes/decision-input.ts'
import type { Report } from '../loop/changes/record.ts'
import { crashOf, crashTakenDown, problemOf, reportOf, takenDown } from '../loop/child-events.ts'
import { failure } from '../shared/params.ts'
import { unknownUsage } from '../contract/spent.ts'
import { goalsOf } from './goals.ts'

export interface Reported {
  readonly event: { readonly actorId: string; readonly output: Report }
}

export interface Crashed {
  readonly event: { readonly actorId: string; readonly error: unknown }
}

/** What the decision was, and what it cost: the round that it leads to is a step. */
const planned = ({ event }: Reported) => ({
  goals: goalsOf(decided({ event })),
  spent: 'decision' in event.output ? event.output.usage : noUsage,
})

const whenFailed = {
  type: 'end',
  params: ({ event }: Reported) => ({ outcome: 'failed' as const, error: problemOf({ event }) }),
} as const

const whenUsageIsUnknown = {
  type: 'end',
  params: ({ event }: Reported) => unknownUsage(problemOf({ event })),
} as const

const whenCrashed = {
  type: 'end',
  params: ({ event }: Crashed) => ({ outcome: 'failed' as const, error: crashOf({ event }).error }),
} as const

/** `ends`: without that decision there is nothing to go on. */
export function onDecision<const Made extends string, const Failed extends string>(
  made: Made,
  failed: { readonly target: Failed; readonly ends: boolean },
) {
  return {
    'xstate.done.actor.*': [
      {
        guard: { type: 'isMade', params: reportOf },
        target: made,
        actions: [...takenDown, { type: 'planRound', params: planned }],
      },
      {
        guard: { type: 'lacksBudget', params: problemOf },
        target: '#exhausting',
        actions: [
          ...takenDown,
          { type: 'announceError', params: problemOf },
          { type: 'end', params: { outcome: 'exhausted', reason: 'budget' } },
        ],
      },
      {
        guard: { type: 'lacksUsage', params: problemOf },
        target: '#finishing',
        actions: [...takenDown, { type: 'announceError', params: problemOf }, whenUsageIsUnknown],
      },
      {
        target: failed.target,
        actions: [
          ...takenDown,
          { type: 'announceError', params: problemOf },
          ...(failed.ends ? [whenFailed] : []),
        ],
      },
    ],
    'xstate.error.actor.*': {
      target: failed.target,
      actions: [
        ...crashTakenDown,
        { type: 'announceError', params: failure },
        ...(failed.ends ? [whenCrashed] : []),
      ],
    },
  } as const
}
