/** The guards, actions and actors of a decision, by name. */
import { assign, emit, setup } from 'xstate'
import type { ModelReply } from '../../actors/chat-model.ts'
import { effect, sendToEffects } from '../../actors/effect.ts'
import { addUsage } from '../../actors/usage.ts'
import type { ErrorData } from '../../errors.ts'
import { abortOrExpire, causeOf, type BudgetSpentEvent, type CancelEvent } from '../contract/cancel.ts'
import { event, type MachineEvent } from '../contract/events.ts'
import { checkReply, type DecisionContext, type DecisionInput } from './context.ts'
import type { DecisionOutput } from '../contract/reports.ts'

export const decisionSetup = setup({
  types: {
    input: {} as DecisionInput,
    context: {} as DecisionContext,
    events: {} as CancelEvent | BudgetSpentEvent,
    output: {} as DecisionOutput,
    emitted: {} as MachineEvent,
  },
  actors: { model: effect('model'), timer: effect('timer') },
  guards: {
    isAllowed: ({ context }) => context.check?.ok === true,
    mayRepair: ({ context }) => context.replies < 2,
    mayRetry: ({ context }, params: ErrorData) =>
      params.retryable === true && context.failures < context.input.retries,
  },
  actions: {
    recordReply: assign(({ context }, params: ModelReply) => ({
      check: checkReply(context, params),
      replies: context.replies + 1,
      failures: 0,
      usage: addUsage(context.usage, params.usage),
      messages: context.messages.append({ role: 'assistant', content: params.text }),
    })),
    askForRepair: assign(({ context }) => ({
      messages: context.messages.append({
        role: 'user',
        content: `Your answer is not a valid ${context.input.subject}: ${problemOf(context)}\nAnswer again, with the JSON value alone.`,
        internal: 'notice',
      }),
    })),
    countFailure: assign(({ context }, params: ErrorData) => ({
      failures: context.failures + 1,
      lastFailure: params,
    })),
    recordError: assign((_, params: ErrorData) => ({ error: params })),
    recordInvalid: assign(({ context }) => ({
      error: {
        name: 'InvalidDecisionError',
        code: 'INVALID_DECISION',
        message: `The model gave no valid ${context.input.subject}: ${problemOf(context)}`,
      },
    })),
    abortEffects: ({ self, event }) => sendToEffects(self, abortOrExpire(event), causeOf(event)),
    announceRetry: emit(({ context }, params: ErrorData) =>
      event('error', { error: params, willRetry: true, failures: context.failures }),
    ),
  },
})

function problemOf({ check }: DecisionContext): string {
  return check?.ok === false ? check.problem : ''
}
