/** The guards, actions and actors of a compaction, by name. */
import { assign, emit, enqueueActions, setup } from 'xstate'
import { effect, sendToEffects } from '../../actors/effects/effect.ts'
import type { EffectOutcome } from '../../actors/effects/effect-kinds.ts'
import { addUsage } from '../../actors/usage.ts'
import type { ErrorData } from '../../errors.ts'
import { abortOrExpire, causeOf, type BudgetSpentEvent, type CancelEvent } from '../contract/cancel.ts'
import { event, type MachineEvent } from '../contract/events.ts'
import { fallbackEvent, mayFallBack } from '../contract/model-row.ts'
import type { CompactionOutput } from '../contract/reports.ts'
import { rowOf, tokensIn, type CompactionContext, type CompactionInput } from './context.ts'
import { sizeOf } from './limits.ts'
import { isShorter, partOf, replaced } from './part.ts'

/** The most summaries of one compaction. */
export const maxSummaries = 16

interface InContext {
  readonly context: CompactionContext
}

export const compactionSetup = setup({
  types: {
    input: {} as CompactionInput,
    context: {} as CompactionContext,
    events: {} as CancelEvent | BudgetSpentEvent,
    output: {} as CompactionOutput,
    emitted: {} as MachineEvent,
  },
  actors: { compaction: effect('compaction'), timer: effect('timer') },
  guards: {
    mayReplaceMore: ({ context: { input, messages, summaries } }: InContext) =>
      sizeOf(messages) > input.limits.target &&
      summaries < maxSummaries &&
      partOf(messages, input.limits) !== undefined,
    isShorter: ({ context: { part, summary } }: InContext) =>
      part !== undefined && isShorter(part, summary?.text ?? ''),
    mayAskAgain: ({ context }: InContext) => context.failures < context.input.retries,
    mayFallBack: ({ context: { input, fallen } }: InContext, params: ErrorData | undefined) =>
      mayFallBack(rowOf(input.writer), fallen, params),
    mayRetry: ({ context }: InContext, params: ErrorData) =>
      params.retryable === true && context.failures < context.input.retries,
  },
  actions: {
    choosePart: assign(({ context: { input, messages } }) => ({
      part: partOf(messages, input.limits),
      summary: undefined,
      failures: 0,
    })),
    recordSummary: assign(({ context }, params: EffectOutcome<'compaction'>) => ({
      summary: params,
      usage: addUsage(context.usage, params.usage),
    })),
    replace: assign(({ context: { messages, part, summary, summaries } }) => ({
      messages: part === undefined ? messages : replaced(messages, part, summary?.text ?? ''),
      summaries: summaries + 1,
    })),
    countFailure: assign(({ context }, params: ErrorData) => ({
      failures: context.failures + 1,
      lastFailure: params,
    })),
    fallBack: enqueueActions(({ enqueue, context }, params: ErrorData) => {
      enqueue.assign({ failures: 0, lastFailure: params, fallen: context.fallen + 1 })
      enqueue.emit(fallbackEvent(rowOf(context.input.writer), context.fallen, params))
    }),
    countUseless: assign(({ context }) => ({ failures: context.failures + 1 })),
    recordError: assign((_, params: ErrorData) => ({ error: params })),
    recordUseless: assign(({ context }) => ({ error: uselessSummary(context) })),
    abortEffects: ({ self, event }) => sendToEffects(self, abortOrExpire(event), causeOf(event)),
    announceStart: emit(({ context }) =>
      event('compaction-start', {
        reason: context.input.reason,
        messages: context.messages.length,
        tokens: tokensIn(context, context.messages),
      }),
    ),
    announceRetry: emit(({ context }, params: ErrorData) =>
      event('error', { error: params, willRetry: true, failures: context.failures }),
    ),
    announceEnd: emit(({ context }, params: Pick<CompactionOutput, 'outcome'>) =>
      event('compaction-end', {
        outcome: params.outcome,
        summaries: context.summaries,
        messages: context.messages.length,
        tokens: tokensIn(context, context.messages),
        usage: context.usage,
        ...(context.error === undefined ? {} : { error: context.error }),
      }),
    ),
  },
})

function uselessSummary({ summary }: CompactionContext): ErrorData {
  const isEmpty = (summary?.text ?? '').trim() === ''
  return {
    name: 'CompactionError',
    code: 'USELESS_SUMMARY',
    message: isEmpty
      ? 'The summary of the earlier messages is empty.'
      : 'The summary is not shorter than the messages that it replaces.',
  }
}
