/** The guards, actions and actors of a completion, by name. */
import { childId, placeOf } from '../../actors/actor-path.ts'
import {
  assign,
  emit,
  enqueueActions,
  setup,
  spawnChild,
  stopChild,
  type DoneActorEvent,
  type ErrorActorEvent,
} from 'xstate'
import { effect, sendToEffects } from '../../actors/effects/effect.ts'
import type { EffectOutcome } from '../../actors/effects/effect-kinds.ts'
import type { ErrorData } from '../../errors.ts'
import { abortOrExpire, causeOf, type BudgetSpentEvent, type CancelEvent } from '../contract/cancel.ts'
import { event, type MachineEvent } from '../contract/events.ts'
import {
  answered,
  isDecided,
  outcomeOf,
  scorerInput,
  toAsk,
  unanswered,
  type CompletionContext,
  type CompletionInput,
} from './context.ts'
import type { CompletionOutput } from '../contract/reports.ts'

type Score = EffectOutcome<'scorer'>

const childOf = (position: number) => childId('scorer', position)
const positionOf = (child: string) => Number(placeOf(child))

export const completionSetup = setup({
  types: {
    input: {} as CompletionInput,
    context: {} as CompletionContext,
    events: {} as CancelEvent | BudgetSpentEvent | DoneActorEvent<Score> | ErrorActorEvent,
    output: {} as CompletionOutput,
    emitted: {} as MachineEvent,
  },
  actors: { scorer: effect('scorer'), timer: effect('timer'), hook: effect('hook') },
  guards: {
    isParallel: ({ context }) => context.completion.parallel,
    isDecided: ({ context }) => isDecided(context),
    hasCompleteHook: ({ context }) => context.hasCompleteHook,
    isPassed: ({ context }) => outcomeOf(context) === 'passed',
    isFailed: ({ context }) => outcomeOf(context) === 'failed',
  },
  actions: {
    announceStart: emit(({ context }) =>
      event('scoring-start', {
        scorerIds: toAsk(context).flatMap((position) => context.completion.scorers[position]?.id ?? []),
      }),
    ),
    startNext: enqueueActions(({ enqueue, context }) => {
      const [position = context.next] = toAsk(context)
      enqueue.spawnChild('scorer', { id: childOf(position), input: scorerInput(context, position) })
      enqueue.assign({ next: position + 1 })
    }),
    startAll: enqueueActions(({ enqueue, context }) => {
      for (const position of toAsk(context)) {
        enqueue.spawnChild('scorer', { id: childOf(position), input: scorerInput(context, position) })
      }
      enqueue.assign({ next: context.completion.scorers.length })
    }),
    startDeadline: spawnChild('timer', {
      id: 'timer:deadline',
      input: ({ context }) => ({ delay: context.completion.timeout }),
    }),
    recordScore: assign(({ context }, params: { child: string; score: Score }) => {
      const position = positionOf(params.child)
      const { id, threshold } = context.completion.scorers[position] ?? { id: params.child, threshold: 1 }
      return {
        results: context.results.with(position, {
          id,
          ...params.score,
          passed: params.score.score >= threshold,
        }),
      }
    }),
    recordError: assign(({ context }, params: { child: string; error: ErrorData }) => {
      const position = positionOf(params.child)
      const id = context.completion.scorers[position]?.id ?? params.child
      return { results: context.results.with(position, { id, passed: false, error: params.error }) }
    }),
    recordUnanswered: enqueueActions(({ enqueue, context }, params: { code: string; reason: string }) => {
      const results = context.results.map(
        (result, position) => result ?? unanswered(context, position, params),
      )
      enqueue.assign({ results })
      results.forEach((result, position) => {
        if (context.results[position] === undefined) enqueue.emit(event('scorer-result', result))
      })
    }),
    reap: stopChild((_, params: { child: string }) => params.child),
    stopEffects: enqueueActions(({ enqueue, context }) => {
      enqueue.stopChild('timer:deadline')
      context.results.forEach((_, position) => enqueue.stopChild(childOf(position)))
    }),
    announceResult: emit(({ context }, params: { child: string }) =>
      event(
        'scorer-result',
        context.results[positionOf(params.child)] ?? { id: params.child, passed: false },
      ),
    ),
    announceComplete: emit(({ context }) =>
      event('scoring-complete', {
        complete: outcomeOf(context) === 'passed',
        outcome: outcomeOf(context),
        results: answered(context),
      }),
    ),
    announceHookError: emit((_, params: ErrorData) => event('error', { error: params, willRetry: false })),
    /** Results that come after the deadline are still recorded. */
    expireEffects: ({ self }) => sendToEffects(self, 'expire'),
    abortEffects: ({ self, event }) => sendToEffects(self, abortOrExpire(event), causeOf(event)),
  },
})
