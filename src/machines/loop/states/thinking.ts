/** `thinking`: one model call, tried again while the error may pass, and what kind of reply came of it. */
import type { ModelReply } from '../../../actors/chat-model.ts'
import { scopeOf } from '../../../actors/toolset.ts'
import type { ErrorData } from '../../../errors.ts'
import { backoff } from '../../shared/backoff.ts'
import { answerOf, failure, output } from '../../shared/params.ts'
import { unknownUsage } from '../../contract/spent.ts'
import type { Ending, LoopContext } from '../changes/context.ts'
import { notifying } from './notifying.ts'
import { drafted, processing, speaking } from './processing.ts'
import { loopSetup } from '../setup.ts'

export interface Recorded {
  readonly context: LoopContext
}

const recorded = ({ context }: Recorded) => context.reply as ModelReply

const recordReply = [{ type: 'recordReply' as const, params: output<ModelReply> }, 'announceMessage' as const]

/**
 * The state in which the model speaks. An answer goes on to `afterAnswer`. With `reviewed` the step is an iteration,
 * and is announced as one.
 */
export function thinking<const Target extends string>({
  reviewed,
  afterAnswer,
  withTools = true,
  opens = true,
  mayEnd = false,
  handsOff = false,
}: {
  reviewed: boolean
  afterAnswer: Target
  /** Default: `true`. Without tools the model can only answer: it sums up what a pattern has gathered. */
  withTools?: boolean
  /** Default: `true`: a step begins here. Else it has begun before. */
  opens?: boolean
  /** An answer that nobody questions is the end, without the gates between. Default: `false`. */
  mayEnd?: boolean
  /** The model may hand the conversation to another agent. Default: `false`. */
  handsOff?: boolean
}) {
  const iterationStarts = reviewed ? ['announceIterationStart' as const] : []
  const iterationEnds = reviewed
    ? [{ type: 'announceIterationEnd' as const, params: { continue: false } }]
    : []
  const stepStarts = withTools ? ('announceOpenStep' as const) : ('announceStepStart' as const)
  /** The kind of the reply decides what follows. */
  const interpretations = [
    {
      guard: { type: 'wasRefused' as const, params: recorded },
      target: '#finishing',
      actions: [
        'recordStep' as const,
        'announceStepFinish' as const,
        { type: 'end' as const, params: ({ context }: { context: LoopContext }) => refused(context) },
        ...iterationEnds,
      ],
    },
    {
      guard: { type: 'wasFiltered' as const, params: recorded },
      target: '#finishing',
      actions: [
        'recordStep' as const,
        'announceStepFinish' as const,
        { type: 'end' as const, params: { outcome: 'failed' as const, error: contentFiltered } },
        ...iterationEnds,
      ],
    },
    ...(handsOff
      ? [
          {
            guard: { type: 'onlyHandsOff' as const, params: recorded },
            target: '#handingOff',
            actions: ['recordStep' as const, 'announceStepFinish' as const],
          },
        ]
      : []),
    ...(withTools ? [{ guard: { type: 'hasToolCalls' as const, params: recorded }, target: '#acting' }] : []),
    {
      guard: { type: 'mustCheckObject' as const, params: recorded },
      target: 'checkingObject',
    },
    ...(mayEnd
      ? [
          {
            guard: { type: 'answersForGood' as const, params: recorded },
            target: '#completed',
            actions: [
              'recordStep' as const,
              'announceStepFinish' as const,
              { type: 'end' as const, params: { outcome: 'completed' as const } },
              ...iterationEnds,
            ],
          },
        ]
      : []),
    { target: afterAnswer, actions: ['recordStep' as const, 'announceStepFinish' as const] },
  ]
  const expiring = reviewed ? '#expiringIteration' : '#expiring'
  /** A reply that is under way, or not yet accepted, is none. */
  const spentMidway = { 'budget.spent': { target: expiring, actions: 'dropReply' } } as const
  return loopSetup.createStateConfig({
    id: 'thinking',
    description: 'The model speaks: it answers, or it calls tools and agents.',
    entry: opens
      ? [...(reviewed ? ['hearNews' as const] : []), 'beginStep', ...iterationStarts, stepStarts]
      : ['beginDraft'],
    initial: 'calling',
    on: { 'budget.spent': expiring },
    states: {
      calling: {
        on: spentMidway,
        invoke: {
          src: 'model',
          id: 'model',
          input: ({ context }) =>
            speaking(context, {
              tools: withTools ? context.input.profile.toolset.digest : 'none',
              toolChoice: withTools ? ('auto' as const) : ('none' as const),
              ...(withTools ? scopeOf(context.input.profile) : {}),
              ...(context.input.profile.responseFormat && {
                responseFormat: context.input.profile.responseFormat,
              }),
            }),
          onDone: [
            drafted,
            { guard: 'hasStepHook', target: 'notifying', actions: recordReply },
            { target: 'interpreting', actions: recordReply },
          ],
          onError: [
            {
              guard: { type: 'isOverBudget', params: failure },
              target: '#exhausting',
              actions: [
                { type: 'end', params: { outcome: 'exhausted', reason: 'budget' } },
                { type: 'announceError', params: failure },
                ...iterationEnds,
              ],
            },
            {
              guard: { type: 'lacksUsage', params: failure },
              target: '#finishing',
              actions: [
                { type: 'end', params: ({ event }) => unknownUsage(failure({ event })) },
                { type: 'announceError', params: failure },
                ...iterationEnds,
              ],
            },
            {
              guard: { type: 'mayRetry', params: failure },
              target: 'backingOff',
              actions: [
                { type: 'countFailure', params: failure },
                { type: 'announceRetry', params: failure },
              ],
            },
            {
              target: '#finishing',
              actions: [
                { type: 'end', params: ({ event }) => ({ outcome: 'failed', error: failure({ event }) }) },
                { type: 'announceError', params: failure },
                ...iterationEnds,
              ],
            },
          ],
        },
      },
      backingOff: {
        description: 'A retryable error: waiting before the next attempt.',
        on: spentMidway,
        invoke: {
          src: 'timer',
          id: 'timer:backoff',
          input: ({ context }) => backoff(context.attempts.failures, context.attempts.lastFailure),
          onDone: { target: 'calling', actions: 'beginDraft' },
        },
      },
      processing: {
        ...processing({
          mayAskAgain: [
            { guard: 'mayAskAgain', target: '#thinking.calling', actions: ['announceRefusal', 'askAgain'] },
          ],
          accepted: [
            {
              guard: 'hasStepHook',
              target: '#thinking.notifying',
              actions: ['acceptDraft', 'announceMessage'],
            },
            { target: '#thinking.interpreting', actions: ['acceptDraft', 'announceMessage'] },
          ],
          ending: ['recordStep', 'announceStepFinish', ...iterationEnds],
        }),
        on: spentMidway,
      },
      notifying: notifying('interpreting'),
      interpreting: { always: interpretations },
      checkingObject: {
        description:
          'Does the answer have the shape that was asked for? One that does not is sent back once.',
        invoke: {
          src: 'hook',
          id: 'hook:validateObject',
          input: ({ context }) => ({
            agent: context.input.opening.line?.shape?.agent ?? context.input.profile.id,
            hook: 'validateObject',
            scope: context.input.profile.hooks.validateObject ?? 'agent',
            timeout: context.input.profile.hookTimeout,
            data: { text: context.reply?.text ?? '' },
          }),
          onDone: [
            {
              guard: { type: 'hasShape', params: answerOf('validateObject') },
              target: afterAnswer,
              actions: [
                { type: 'recordObject', params: answerOf('validateObject') },
                'recordStep',
                'announceStepFinish',
              ],
            },
            {
              guard: 'mayRepair',
              target: 'calling',
              actions: { type: 'askForRepair', params: answerOf('validateObject') },
            },
            {
              target: '#finishing',
              actions: [
                'recordStep',
                'announceStepFinish',
                {
                  type: 'end',
                  params: ({ event }) => ({
                    outcome: 'failed',
                    error: shapeless(answerOf('validateObject')({ event }).problem),
                  }),
                },
                ...iterationEnds,
              ],
            },
          ],
          onError: {
            target: '#finishing',
            actions: [
              'recordStep',
              'announceStepFinish',
              { type: 'end', params: ({ event }) => ({ outcome: 'failed', error: failure({ event }) }) },
              ...iterationEnds,
            ],
          },
        },
      },
    },
  })
}

function shapeless(problem: string | null): ErrorData {
  const message = `The answer does not have the requested shape: ${problem}`
  return { name: 'InvalidObjectError', code: 'INVALID_OBJECT', message }
}

function refused({ reply }: LoopContext): Ending {
  const message = reply?.text || 'The model refused.'
  return { outcome: 'failed', error: { name: 'RefusalError', code: 'MODEL_REFUSED', message } }
}

const contentFiltered: ErrorData = {
  name: 'ContentFilterError',
  code: 'CONTENT_FILTERED',
  message: 'The provider filtered the reply of the model.',
}
