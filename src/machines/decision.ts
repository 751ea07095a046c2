/**
 * One decision of a pattern: a model chooses within what it is given, as JSON. An answer that is none, or that is
 * outside of what is allowed, goes back once with the problem; then the decision has failed.
 */
import { expected } from '../actors/toolset.ts'
import { backoff } from './shared/backoff.ts'
import { decisionOutput, initialContext } from './decision/context.ts'
import { decisionSetup } from './decision/setup.ts'
import { failure, output } from './shared/params.ts'
import type { DecisionOutput } from './contract/reports.ts'

export type { DecisionCheck, DecisionInput } from './decision/context.ts'

export const decisionMachine = decisionSetup.createMachine({
  id: 'decision',
  description: 'A model chooses within what it is given; one repair, then a typed failure.',
  context: ({ input }) => initialContext(input),
  output: ({ event }) => event.output as DecisionOutput,
  initial: 'asking',
  on: {
    cancel: { target: '.cancelled', actions: 'abortEffects' },
    'budget.spent': {
      target: '.failed',
      actions: ['abortEffects', { type: 'recordError', params: ({ event }) => event.error }],
    },
  },
  states: {
    asking: {
      invoke: {
        src: 'model',
        id: 'model',
        input: ({ context: { input, messages } }) => ({
          agent: input.agent,
          model: input.model,
          message: input.subject,
          messages,
          tools: 'none',
          toolChoice: 'none',
          responseFormat: input.responseFormat,
          quiet: true,
          ...expected(input.toolset),
          ...input.limits,
        }),
        onDone: { target: 'weighing', actions: { type: 'weigh', params: output } },
        onError: [
          {
            guard: { type: 'mayRetry', params: failure },
            target: 'backingOff',
            actions: [
              { type: 'countFailure', params: failure },
              { type: 'announceRetry', params: failure },
            ],
          },
          { target: 'failed', actions: { type: 'recordError', params: failure } },
        ],
      },
    },
    backingOff: {
      description: 'A retryable error: waiting before the next attempt.',
      invoke: {
        src: 'timer',
        id: 'timer:backoff',
        input: ({ context }) => backoff(context.failures, context.lastFailure),
        onDone: 'asking',
      },
    },
    weighing: {
      description: 'Is it a decision, and one that may be made?',
      always: [
        { guard: 'isAllowed', target: 'made' },
        { guard: 'mayRepair', target: 'asking', actions: 'askForRepair' },
        { target: 'failed', actions: 'recordInvalid' },
      ],
    },
    made: { type: 'final', output: ({ context }) => decisionOutput(context, 'made') },
    failed: { type: 'final', output: ({ context }) => decisionOutput(context, 'failed') },
    cancelled: { type: 'final', output: ({ context }) => decisionOutput(context, 'cancelled') },
  },
})
