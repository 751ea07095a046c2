/**
 * Scores one answer: all scorers side by side or one after the other, under one shared deadline. A scorer that throws
 * or times out is recorded with its error: that is not a score of 0, and never a pass.
 */
import { once } from '../actors/values/once.ts'
import {
  answered,
  completionOutput,
  initialContext,
  outcomeOf,
  type CompletionContext,
} from './completion/context.ts'
import { completionSetup } from './completion/setup.ts'
import { hook } from './shared/hook.ts'
import { failure } from './shared/params.ts'
import type { CompletionOutput } from './contract/reports.ts'

export type { CompletionInput } from './completion/context.ts'

/** The run ends before all scorers have answered. onComplete is not called. */
const cutShort = ['abortEffects', 'stopEffects', 'announceComplete'] as const

export const completionMachine = /* @__PURE__ */ once(() =>
  completionSetup.createMachine({
    id: 'completion',
    description: 'Scores one answer with all scorers, under one deadline.',
    context: ({ input }) => initialContext(input),
    output: ({ event }) => event.output as CompletionOutput,
    initial: 'scoring',
    states: {
      scoring: {
        description: 'Scorers are at work, until the outcome is decided.',
        entry: ['announceStart', 'startDeadline'],
        initial: 'starting',
        states: {
          starting: {
            description:
              'Is there a scorer to ask? One that has answered with no score in this run is not asked again.',
            always: [
              { guard: 'isDecided', target: 'ending' },
              { guard: 'isParallel', target: 'awaitingScores', actions: 'startAll' },
              { target: 'awaitingScores', actions: 'startNext' },
            ],
          },
          awaitingScores: {
            on: {
              cancel: {
                target: 'settling',
                actions: [
                  {
                    type: 'recordUnanswered',
                    params: { code: 'CANCELLED', reason: 'The run was cancelled.' },
                  },
                  ...cutShort,
                ],
              },
              'budget.spent': {
                target: 'settling',
                actions: [
                  {
                    type: 'recordUnanswered',
                    params: ({ event }) => ({ code: event.error.code, reason: event.error.message }),
                  },
                  ...cutShort,
                ],
              },
              'xstate.done.actor.timer:deadline': {
                target: 'ending',
                actions: [
                  {
                    type: 'recordUnanswered',
                    params: ({ context }) => ({
                      code: 'SCORER_TIMEOUT',
                      reason: `No score within ${context.completion.timeout} ms.`,
                    }),
                  },
                  'expireEffects',
                ],
              },
              'xstate.done.actor.*': {
                target: 'judging',
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
                target: 'judging',
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
          judging: {
            description: 'Is the outcome decided, or must other scorers answer first?',
            always: [
              { guard: 'isDecided', target: 'ending', actions: 'abortEffects' },
              { guard: 'isParallel', target: 'awaitingScores' },
              { target: 'awaitingScores', actions: 'startNext' },
            ],
          },
          ending: {
            description: 'The outcome is decided. Scorers that are still at work are stopped.',
            entry: ['stopEffects', 'announceComplete'],
            always: [{ guard: 'hasCompleteHook', target: 'notifying' }, { target: 'settling' }],
          },
          notifying: {
            description: 'onComplete observes: an exception is announced and changes nothing.',
            on: {
              // The outcome has been announced.
              cancel: { target: 'settling', actions: 'abortEffects' },
              'budget.spent': { target: 'settling', actions: 'abortEffects' },
            },
            invoke: {
              ...hook('onComplete', (context: CompletionContext) => ({
                agent: context.agent,
                scope: context.completion.scope,
                timeout: context.hookTimeout,
                data: {
                  complete: outcomeOf(context) === 'passed',
                  outcome: outcomeOf(context),
                  results: answered(context),
                  iteration: context.iteration,
                  loop: context.loop,
                },
              })),
              onDone: 'settling',
              onError: { target: 'settling', actions: { type: 'announceHookError', params: failure } },
            },
          },
          settling: {
            description: 'The outcome names the final state.',
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
  }),
)

/** Named, so that declarations of the charts above it name it too. */
export interface CompletionMachine extends ReturnType<typeof completionMachine> {}
