/**
 * One decision of a pattern: a model chooses among given options, as JSON. An invalid answer is sent back once with
 * the problem; a second one fails the decision. A conversation that does not leave room for the question in the window
 * of the model is made shorter first. This file draws every arrow between the states.
 */
import { once } from '../actors/values/once.ts'
import { expected } from '../actors/toolset/toolset.ts'
import { backingOff, retries } from './shared/backing-off.ts'
import { fallingBack, fallsBack, refusalFallsBack } from './shared/falling-back.ts'
import { calledModel } from './contract/model-row.ts'
import { decisionOutput, initialContext, type DecisionContext } from './decision/context.ts'
import { decisionSetup } from './decision/setup.ts'
import { closing, compacting, compactions, refusedForLength } from './decision/compacting.ts'
import { named } from './shared/named.ts'
import { failure, output } from './shared/params.ts'
import { spentError } from './contract/cancel.ts'
import type { DecisionOutput } from './contract/reports.ts'

export type { DecisionInput } from './decision/context.ts'

export const decisionMachine = /* @__PURE__ */ once(() =>
  decisionSetup.createMachine({
    id: 'decision',
    description: 'A model makes one decision, as JSON; an invalid answer is sent back once.',
    context: ({ input }) => initialContext(input),
    output: ({ event }) => event.output as DecisionOutput,
    initial: 'sizing',
    on: {
      cancel: { target: '.cancelled', actions: 'abortEffects' },
      'budget.spent': {
        target: '.failed',
        actions: ['abortEffects', { type: 'recordError', params: spentError }],
      },
      ...compactions,
    },
    states: named({
      sizing: {
        description: 'Does the conversation leave room for the question in the window of the model?',
        always: [{ guard: 'mustCompact', target: 'compacting' }, { target: 'asking' }],
      },
      compacting: compacting({
        fits: 'asking',
        tooLong: 'failed',
        cancelled: 'cancelling',
        outOfTime: 'expiring',
      }),
      asking: {
        description: 'The model is asked for its decision.',
        invoke: {
          src: 'model',
          id: 'model',
          input: ({ context: { input, conversation, exchange, fallen } }) => ({
            agent: input.agent,
            ...calledModel(input, fallen),
            message: input.subject,
            messages: conversation.append(...exchange),
            tools: 'none',
            toolChoice: 'none',
            responseFormat: input.responseFormat,
            quiet: true,
            ...(input.step === undefined ? {} : { step: input.step }),
            ...(input.calls && { calls: input.calls }),
            ...expected(input.toolset),
            ...input.limits,
          }),
          onDone: [refusalFallsBack, { target: 'judging', actions: { type: 'recordReply', params: output } }],
          onError: [
            refusedForLength('compacting'),
            { ...retries, target: 'backingOff' },
            { ...fallsBack, target: 'fallingBack' },
            { target: 'failed', actions: { type: 'recordError', params: failure } },
          ],
        },
      },
      backingOff: backingOff((context: DecisionContext) => context, 'asking'),
      fallingBack: fallingBack('asking'),
      judging: {
        description: 'Is the answer a valid decision?',
        always: [
          { guard: 'isAllowed', target: 'made' },
          { guard: 'mayRepair', target: 'sizing', actions: 'askForRepair' },
          { target: 'failed', actions: 'recordInvalid' },
        ],
      },
      cancelling: closing(
        { closed: 'cancelled' },
        'The decision is cancelled. Its compaction ends, and reports first.',
      ),
      expiring: closing(
        { closed: 'failed' },
        'The time of the run is up. The compaction ends, and reports first.',
      ),
      made: { type: 'final', output: ({ context }) => decisionOutput(context, 'made') },
      failed: { type: 'final', output: ({ context }) => decisionOutput(context, 'failed') },
      cancelled: { type: 'final', output: ({ context }) => decisionOutput(context, 'cancelled') },
    }),
  }),
)

/** Named, so that declarations of the charts above it name it too. */
export interface DecisionMachine extends ReturnType<typeof decisionMachine> {}
