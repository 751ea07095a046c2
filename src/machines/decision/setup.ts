/** The guards, actions and actors of a decision, by name. */
import {
  assign,
  emit,
  enqueueActions,
  setup,
  stopChild,
  type DoneActorEvent,
  type ErrorActorEvent,
} from 'xstate'
import { childId, isChild } from '../../actors/actor-path.ts'
import { effect, sendToEffects } from '../../actors/effects/effect.ts'
import type { SignedReply } from '../../actors/messages/provider-data.ts'
import { addUsage, noUsage } from '../../actors/usage.ts'
import type { ErrorData } from '../../errors.ts'
import { abortOrExpire, causeOf, type BudgetSpentEvent, type CancelEvent } from '../contract/cancel.ts'
import { event, type MachineEvent } from '../contract/events.ts'
import { fallbackEvent, mayFallBack } from '../contract/model-row.ts'
import { compactionMachine, type CompactionMachine } from '../compaction.ts'
import { tooLongError } from '../compaction/window.ts'
import { checkReply, type DecisionContext, type DecisionInput } from './context.ts'
import type { CompactionOutput, DecisionOutput } from '../contract/reports.ts'
import {
  compactionInput,
  mayAskAfterCompaction,
  mayCompact,
  measuredBy,
  mustCompact,
  recordCompaction,
  recordOverflow,
} from './window.ts'

type DecisionEvent = CancelEvent | BudgetSpentEvent | DoneActorEvent<CompactionOutput> | ErrorActorEvent

/** The chart of a compaction is made for the first run, and not by the import. */
const actors = {
  model: effect('model'),
  timer: effect('timer'),
  get compaction(): CompactionMachine {
    return compactionMachine()
  },
}

export const decisionSetup = setup({
  types: {
    input: {} as DecisionInput,
    context: {} as DecisionContext,
    events: {} as DecisionEvent,
    output: {} as DecisionOutput,
    emitted: {} as MachineEvent,
  },
  actors,
  guards: {
    isAllowed: ({ context }) => context.check?.ok === true,
    mayRepair: ({ context }) => context.replies < 2,
    mayRetry: ({ context }, params: ErrorData) =>
      params.retryable === true && context.failures < context.input.retries,
    mayFallBack: ({ context }, params: ErrorData | undefined) =>
      mayFallBack(context.input, context.fallen, params),
    // the window of the model
    mustCompact: ({ context }) => mustCompact(context),
    mayCompact: ({ context }, params: ErrorData) => mayCompact(context, params),
    mayAskAfterCompaction: ({ context }) => mayAskAfterCompaction(context),
    isCompaction: (_, params: { child: string }) => isChild(params.child, 'compaction'),
    isCompactionOver: ({ context }) => context.window.report !== undefined,
  },
  actions: {
    recordReply: assign(({ context }, params: SignedReply) => ({
      check: checkReply(context, params),
      verdicts: params.verdicts,
      replies: context.replies + 1,
      failures: 0,
      usage: addUsage(context.usage, params.usage),
      window: measuredBy(context, params),
      exchange: context.exchange.append({ role: 'assistant', content: params.text }),
    })),
    askForRepair: assign(({ context }) => ({
      exchange: context.exchange.append({
        role: 'user',
        content: `Your answer is not a valid ${context.input.subject}: ${problemOf(context)}\nAnswer again, with the JSON value alone.`,
        internal: 'notice',
      }),
    })),
    countFailure: assign(({ context }, params: ErrorData) => ({
      failures: context.failures + 1,
      lastFailure: params,
    })),
    fallBack: enqueueActions(({ enqueue, context }, params: ErrorData) => {
      enqueue.assign({ failures: 0, lastFailure: params, fallen: context.fallen + 1 })
      enqueue.emit(fallbackEvent(context.input, context.fallen, params))
    }),
    payRefusal: assign(({ context }, params: SignedReply) => ({
      usage: addUsage(context.usage, params.usage),
    })),
    countOverflow: assign(({ context }) => ({ window: recordOverflow(context) })),
    startCompaction: enqueueActions(({ enqueue, context }) => {
      const begun = context.window.begun + 1
      enqueue.spawnChild('compaction', {
        id: childId('compaction', begun),
        input: compactionInput(context),
      })
      enqueue.assign({ window: { ...context.window, begun, report: undefined } })
    }),
    /** Passes the event on that ends the decision: the compaction under way ends, and reports. */
    endCompaction: enqueueActions(({ enqueue, context, event }) => {
      enqueue.sendTo(childId('compaction', context.window.begun), event)
    }),
    recordCompaction: assign(({ context }, params: CompactionOutput) => recordCompaction(context, params)),
    recordCompactionCrash: assign(({ context }, error: ErrorData) =>
      recordCompaction(context, { kind: 'compaction', outcome: 'failed', error, usage: noUsage }),
    ),
    reap: stopChild((_, params: { child: string }) => params.child),
    recordTooLong: assign(({ context }) => ({
      error: tooLongError(context.window.report?.error ?? context.lastFailure),
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
