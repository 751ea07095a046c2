/**
 * Scoring one answer: all scorers side by side or one after the other, under one shared deadline. What a
 * scorer threw, or did not answer in time, is `errored`: not a score of 0, and never a pass.
 */
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
import type { AppendLog } from '../actors/append-log.ts'
import { effect, tellEffects } from '../actors/effect.ts'
import type { EffectOutcome } from '../actors/effect-kinds.ts'
import type { Message } from '../actors/message.ts'
import type { ErrorData } from '../errors.ts'
import type { CompletionProfile, ScorerResult, ScoringRecord } from './agent.ts'
import type { CancelEvent } from './cancel.ts'
import { event, type MachineEvent } from './events.ts'
import { failure } from './params.ts'

export interface CompletionInput {
  readonly agent: string
  readonly completion: CompletionProfile
  readonly hasCompleteHook: boolean
  readonly task: string
  readonly answer: string
  readonly messages: AppendLog<Message>
  readonly iteration: number
}

export type CompletionOutput = ScoringRecord & {
  /** For the model: which scorers were not met, and why. */
  readonly feedback: string
}

export interface CompletionContext extends CompletionInput {
  /** The scorer to start next. */
  readonly next: number
  /** By position; `undefined` while a scorer has not answered. */
  readonly results: readonly (ScorerResult | undefined)[]
}

type Score = EffectOutcome<'scorer'>

const childOf = (position: number) => `scorer:${position}`
const positionOf = (child: string) => Number(child.slice('scorer:'.length))

const completionSetup = setup({
  types: {
    input: {} as CompletionInput,
    context: {} as CompletionContext,
    events: {} as CancelEvent | DoneActorEvent<Score> | ErrorActorEvent,
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
      event('scoring-start', { scorerIds: context.completion.scorers.map((scorer) => scorer.id) }),
    ),
    startNext: enqueueActions(({ enqueue, context }) => {
      enqueue.spawnChild('scorer', { id: childOf(context.next), input: scorerInput(context, context.next) })
      enqueue.assign({ next: context.next + 1 })
    }),
    startAll: enqueueActions(({ enqueue, context }) => {
      context.completion.scorers.forEach((_, position) => {
        enqueue.spawnChild('scorer', { id: childOf(position), input: scorerInput(context, position) })
      })
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
    recordUnanswered: assign(({ context }, params: { code: string; reason: string }) => ({
      results: context.results.map(
        (result, position) =>
          result ?? {
            id: context.completion.scorers[position]?.id ?? String(position),
            passed: false,
            error: { name: 'ScorerError', code: params.code, message: params.reason },
          },
      ),
    })),
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
    abortEffects: ({ self }) => tellEffects(self, 'abort'),
  },
})

export const completionMachine = completionSetup.createMachine({
  id: 'completion',
  description: 'Scores one answer with all scorers, under one deadline.',
  context: ({ input }) => ({ ...input, next: 0, results: input.completion.scorers.map(() => undefined) }),
  output: ({ event }) => event.output as CompletionOutput,
  initial: 'scoring',
  states: {
    scoring: {
      entry: ['announceStart', 'startDeadline'],
      initial: 'starting',
      on: {
        cancel: {
          target: 'errored',
          actions: [
            { type: 'recordUnanswered', params: { code: 'CANCELLED', reason: 'The run was cancelled.' } },
            'abortEffects',
          ],
        },
      },
      states: {
        starting: {
          always: [
            { guard: 'isParallel', target: 'awaitingScores', actions: 'startAll' },
            { target: 'awaitingScores', actions: 'startNext' },
          ],
        },
        awaitingScores: {
          on: {
            'xstate.done.actor.timer:deadline': {
              target: 'ending',
              actions: {
                type: 'recordUnanswered',
                params: ({ context }) => ({
                  code: 'SCORER_TIMEOUT',
                  reason: `No score within ${context.completion.timeout} ms.`,
                }),
              },
            },
            'xstate.done.actor.*': {
              target: 'weighing',
              actions: [
                {
                  type: 'recordScore',
                  params: ({ event }) => ({ child: event.actorId, score: event.output }),
                },
                { type: 'announceResult', params: ({ event }) => ({ child: event.actorId }) },
                { type: 'reap', params: ({ event }) => ({ child: event.actorId }) },
              ],
            },
            'xstate.error.actor.*': {
              target: 'weighing',
              actions: [
                {
                  type: 'recordError',
                  params: ({ event }) => ({ child: event.actorId, error: failure({ event }) }),
                },
                { type: 'announceResult', params: ({ event }) => ({ child: event.actorId }) },
                { type: 'reap', params: ({ event }) => ({ child: event.actorId }) },
              ],
            },
          },
        },
        weighing: {
          always: [
            { guard: 'isDecided', target: 'ending' },
            { guard: 'isParallel', target: 'awaitingScores' },
            { target: 'awaitingScores', actions: 'startNext' },
          ],
        },
        ending: {
          description: 'Scorers that are still at work are no longer wanted.',
          entry: ['abortEffects', 'stopEffects', 'announceComplete'],
          always: [{ guard: 'hasCompleteHook', target: 'notifying' }, { target: 'settling' }],
        },
        notifying: {
          description: 'The hook observes: what it throws is announced and changes nothing.',
          invoke: {
            src: 'hook',
            id: 'hook:onComplete',
            input: ({ context }) => ({
              agent: context.agent,
              hook: 'onComplete',
              scope: context.completion.scope,
              data: {
                complete: outcomeOf(context) === 'passed',
                outcome: outcomeOf(context),
                results: answered(context),
                iteration: context.iteration,
              },
            }),
            onDone: 'settling',
            onError: { target: 'settling', actions: { type: 'announceHookError', params: failure } },
          },
        },
        settling: {
          always: [
            { guard: 'isPassed', target: '#completion.passed' },
            { guard: 'isFailed', target: '#completion.failed' },
            { target: '#completion.errored' },
          ],
        },
      },
    },
    passed: { type: 'final', output: ({ context }) => completionOutput(context, 'passed') },
    failed: { type: 'final', output: ({ context }) => completionOutput(context, 'failed') },
    errored: { type: 'final', output: ({ context }) => completionOutput(context, 'errored') },
  },
})

function scorerInput(context: CompletionContext, position: number) {
  return {
    agent: context.agent,
    scope: context.completion.scope,
    scorer: context.completion.scorers[position]?.id ?? '',
    task: context.task,
    answer: context.answer,
    iteration: context.iteration,
    messages: context.messages,
  }
}

function answered(context: CompletionContext): ScorerResult[] {
  return context.results.filter((result) => result !== undefined)
}

/** `any` ends at the first pass, a sequential `all` at the first result that is no pass, everything else with the last. */
function isDecided(context: CompletionContext): boolean {
  const { strategy, parallel } = context.completion
  const results = answered(context)
  if (results.length === context.results.length) return true
  return strategy === 'any'
    ? results.some((result) => result.passed)
    : !parallel && results.some((result) => !result.passed)
}

/** `errored`: no pass, and only errors stand between the answer and a verdict. */
function outcomeOf(context: CompletionContext): ScoringRecord['outcome'] {
  const results = answered(context)
  const { strategy } = context.completion
  if (strategy === 'any') {
    if (results.some((result) => result.passed)) return 'passed'
    return results.some((result) => result.error !== undefined) ? 'errored' : 'failed'
  }
  if (results.every((result) => result.passed)) return 'passed'
  return results.some((result) => !result.passed && result.error === undefined) ? 'failed' : 'errored'
}

function completionOutput(context: CompletionContext, outcome: ScoringRecord['outcome']): CompletionOutput {
  const results = answered(context)
  return { iteration: context.iteration, outcome, results, feedback: feedback(results) }
}

/** Errors are the user's to see, not the model's. */
function feedback(results: readonly ScorerResult[]): string {
  const unmet = results
    .filter((result) => !result.passed)
    .map((result) =>
      result.error === undefined
        ? `- ${result.id}: score ${result.score}${result.reason === undefined ? '' : `. ${result.reason}`}`
        : `- ${result.id}: could not be scored`,
    )
  return `The task is not complete yet. Unmet criteria:\n${unmet.join('\n')}\nImprove the answer accordingly.`
}
