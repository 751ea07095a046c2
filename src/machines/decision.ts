/**
 * One decision of a pattern: a model chooses among given options, as JSON. An invalid answer is sent back once with
 * the problem; a second one fails the decision.
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
  description: 'A model makes one decision, as JSON; an invalid answer is sent back once.',
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
      description: 'The model is asked for its decision.',
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
        onDone: { target: 'judging', actions: { type: 'recordReply', params: output } },
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
      description: 'Waits before another attempt, after a retryable error.',
      invoke: {
        src: 'timer',
        id: 'timer:backoff',
        input: ({ context }) => backoff(context.failures, context.lastFailure),
        onDone: 'asking',
      },
    },
    judging: {
      description: 'Is the answer a valid decision?',
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
