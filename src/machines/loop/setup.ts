/**
 * The words of the think-act loop: the actions that charts name. The guards are in guards.ts, the actors in base.ts, and
 * the changes that an action makes in loop/changes/.
 */
import { childId } from '../../actors/actor-path.ts'
import { assign, emit, enqueueActions, stopChild, type SetupReturn } from 'xstate'
import type { ModelReply } from '../../actors/chat-model.ts'
import type { SignedReply } from '../../actors/messages/provider-data.ts'
import { sendToEffects } from '../../actors/effects/effect.ts'
import type { EffectOutcome, HookOutcome, Recalled } from '../../actors/effects/effect-kinds.ts'
import type { ErrorData } from '../../errors.ts'
import { abortOrExpire, causeOf, spentError, type CancelEvent } from '../contract/cancel.ts'
import type { Saying } from '../contract/sayings.ts'
import { event, type BackgroundOutcome, type EventPayloads } from '../contract/events.ts'
import { recordConfiguration } from './changes/configuration.ts'
import { messageEvents, offerTo } from './changes/announce.ts'
import { closeOpenStep, closeStep, cutStep, cutStepShort, offeredAfter } from './changes/close-step.ts'
import {
  askForFinalAnswer,
  backgroundOf,
  backgroundTask,
  beginInBackground,
  begun,
  endBackground,
  addBackgroundNotices,
  recordBackgroundCrash,
  recordBackgroundReport,
} from './changes/background.ts'
import { editContext } from './changes/editing.ts'
import { fallBack, payRefusal } from './changes/fall-back.ts'
import { decisionInput, type Question } from './changes/decision-input.ts'
import { refusalEvents } from './changes/call-cap.ts'
import {
  compactionInput,
  completionInput,
  delegationInput,
  isDelegation,
  isSettledUnstarted,
  recordHeld,
  startable,
  toolCallInput,
} from './changes/children.ts'
import {
  orNoAnswer,
  type Ending,
  type LoopContext,
  type PendingCall,
  type SettledCall,
} from './changes/context.ts'
import { handoffSetup } from './handoff-setup.ts'
import { recordPartial, recordRecalled } from './changes/memory.ts'
import { askForAnswer, exhaust, reasonForNextStep } from './changes/next-step.ts'
import { withRunning } from './changes/live.ts'
import { liveChildren } from './changes/predicates.ts'
import {
  askForRepair,
  beginStep,
  currentMessage,
  feedbackMessage,
  recordCrash,
  recordFinalTurn,
  recordReply,
  recordReport,
  settleUnstarted,
} from './changes/record.ts'
import type { Report } from '../contract/reports.ts'
import type { BackgroundReport } from './child-events.ts'
import {
  acceptDraft,
  acceptLastWord,
  askAgain,
  dropDraft,
  failProcessor,
  ignoreProcessorError,
  recordDraft,
  recordInput,
  recordScreening,
  refusal,
} from './changes/screening.ts'
import { beginScreening, hearSayings, screeningInput, takeSaying, takeScreened } from './waiting-sayings.ts'
import { spoken } from './changes/spoken-answer.ts'
import { recordOverflow } from './changes/window.ts'
import { askForCall } from './tool-choice.ts'
import type { Called } from './changes/tool-state.ts'
import { loopGuards, type ObjectCheck, type Review } from './guards.ts'
import { applied } from '../shared/applied.ts'

export interface Crash {
  readonly child: string
  readonly error: ErrorData
}

export const loopSetup = /* @__PURE__ */ handoffSetup.extend({
  guards: loopGuards,
  actions: {
    recordRecalled: assign(({ context }, params: Recalled) => recordRecalled(context, params)),
    recordConfiguration: assign(({ context }, params: HookOutcome<'configure'>) =>
      recordConfiguration(context, params),
    ),
    beginStep: assign(({ context }) => beginStep(context)),
    beginDraft: assign(({ context }) => ({ drafts: context.drafts + 1 })),
    countFailure: assign(({ context }, params: ErrorData) => ({
      attempts: { ...context.attempts, failures: context.attempts.failures + 1, lastFailure: params },
    })),
    fallBack: enqueueActions(({ enqueue, context }, params: ErrorData) =>
      applied(enqueue, fallBack(context, params)),
    ),
    payRefusal: assign(({ context }, params: EffectOutcome<'model'>) => payRefusal(context, params)),
    recordInput: enqueueActions(({ enqueue, context }, params: HookOutcome<'processInput'>) => {
      enqueue.assign(recordInput(context, params))
      const { recalled: passages } = params
      if (passages !== undefined) enqueue.emit(event('recalled', { passages }))
    }),
    recordDraft: assign(({ context }, params: EffectOutcome<'model'>) => recordDraft(context, params)),
    recordScreening: assign((_, params: HookOutcome<'processOutput'>) => recordScreening(params)),
    recordProcessorFailure: assign(({ context }, params: ErrorData) => failProcessor(context, params)),
    ignoreProcessorError: assign(({ context }) => ignoreProcessorError(context)),
    acceptDraft: assign(({ context }) => acceptDraft(context)),
    acceptLastWord: assign(({ context }) => acceptLastWord(context)),
    dropDraft: assign(({ context }) => dropDraft(context)),
    askAgain: assign(({ context }) => askAgain(context)),
    recordReply: assign(({ context }, params: ModelReply) => recordReply(context, params)),
    recordFinalTurn: assign(({ context }, params: SignedReply) => recordFinalTurn(context, params)),
    recordNoFinalTurn: assign(({ context }) => ({ said: orNoAnswer(context.said) })),
    recordReport: assign(({ context }, { child, report }: { child: string; report: Report }) =>
      recordReport(context, child, report),
    ),
    recordCrash: assign(({ context }, { child, error }: Crash) => recordCrash(context, child, error)),
    recordBackgroundReport: assign(({ context }, { child, report }: BackgroundReport) =>
      recordBackgroundReport(context, child, report),
    ),
    recordBackgroundCrash: assign(({ context }, { child }: Crash) => recordBackgroundCrash(context, child)),
    recordHeld: assign(({ context }, params: { child: string; isHeld: boolean }) =>
      recordHeld(context, params.child, params.isHeld),
    ),
    /** Ends a step. A pattern whose steps are rounds of calls overrides it. */
    closeStep: enqueueActions(({ enqueue, context }) => applied(enqueue, closeStep(context))),
    /** Ends the step under way, if there is one, when the agent ends. Overridden as `closeStep` is. */
    closeOpenStep: enqueueActions(({ enqueue, context }) =>
      applied(enqueue, closeOpenStep(context, closeStep)),
    ),
    /** As `closeOpenStep`, of a step that a bail cuts short. */
    cutOpenStep: enqueueActions(({ enqueue, context }) =>
      applied(enqueue, closeOpenStep(context, cutStepShort)),
    ),
    /** Ends the step that is open, if one is. */
    endStep: enqueueActions(({ enqueue, context }) => applied(enqueue, cutStep(context))),
    addBackgroundNotices: assign(({ context }) => addBackgroundNotices(context)),
    takeSaying: enqueueActions(({ enqueue, context }, params: Saying) => {
      enqueue.assign(takeSaying(context, params))
      enqueue.emit(event('said', params))
    }),
    refuseSaying: emit((_, params: EventPayloads['say-refused']) => event('say-refused', params)),
    /** Moves the messages of people into the next prompt. */
    hearSayings: enqueueActions(({ enqueue, context }) => applied(enqueue, hearSayings(context))),
    startScreening: enqueueActions(({ enqueue, context }) => {
      const child = childId('screening', context.background.screenings + 1)
      enqueue.spawnChild('screening', { id: child, input: screeningInput(context) })
      enqueue.assign({ ...beginScreening(context), live: withRunning(context.live, [child]) })
    }),
    takeScreened: enqueueActions(({ enqueue, context }) => applied(enqueue, takeScreened(context))),
    moveToolState: enqueueActions(({ enqueue, context }, params: Called) =>
      applied(enqueue, offeredAfter(context, [params])),
    ),
    recordReview: assign(({ context }, params: Review) => ({
      verdict: { ...context.verdict, review: params },
    })),
    addFeedback: assign(({ context }, params: Review) => ({
      messages: context.messages.append(feedbackMessage(params.feedback ?? '')),
    })),
    recordObject: assign(({ context }, params: ObjectCheck) => ({
      said: { ...context.said, object: params.object },
    })),
    askForRepair: assign(({ context }, params: ObjectCheck) => askForRepair(context, params.problem ?? '')),
    askForCall: assign(({ context }) => askForCall(context)),
    askForAnswer: assign(({ context }) => askForAnswer(context)),
    explainNextStep: enqueueActions(({ enqueue, context }) => applied(enqueue, reasonForNextStep(context))),
    askForFinalAnswer: assign(({ context }) => askForFinalAnswer(context)),
    end: assign((_, params: Ending) => ({ ending: params })),
    recordPartial: enqueueActions(({ enqueue, context }, params: { text: string }) => {
      enqueue.assign(recordPartial(context, params.text))
      if (params.text !== '') enqueue.emit(event('partial-answer', params, currentMessage(context)))
    }),
    exhaust: assign(({ context }) => exhaust(context)),
    startCalls: enqueueActions(({ enqueue, context }) => {
      const starting = startable(context)
      if (starting.length === 0) return
      const children: string[] = []
      const settled: SettledCall[] = []
      const queued: PendingCall[] = []
      for (const [index, pending] of starting.entries()) {
        if (isSettledUnstarted(context, pending, context.started + index)) continue
        if (backgroundOf(context, pending) !== undefined) {
          settled.push(begun(context, pending))
          queued.push(pending)
          continue
        }
        children.push(pending.child)
        if (isDelegation(pending)) {
          enqueue.spawnChild('delegation', { id: pending.child, input: delegationInput(context, pending) })
        } else {
          enqueue.spawnChild('toolCall', { id: pending.child, input: toolCallInput(context, pending) })
        }
      }
      const { background, started } = context
      enqueue.assign({ live: withRunning(context.live, children), started: started + starting.length })
      if (queued.length === 0) return
      enqueue.assign({
        settled: context.settled.append(...settled),
        background: { ...background, queue: [...background.queue, ...queued] },
      })
    }),
    startInBackground: enqueueActions(({ enqueue, context }) => {
      if (context.background.queue.length === 0) return
      const { begun: starts, change } = beginInBackground(context)
      const begun = { ...context, ...change }
      for (const { pending, key } of starts) {
        enqueue.emit(event('background-start', backgroundTask(context, pending.child, key)))
        if (isDelegation(pending)) {
          enqueue.spawnChild('delegation', { id: pending.child, input: delegationInput(context, pending) })
        } else {
          enqueue.spawnChild('toolCall', { id: pending.child, input: toolCallInput(begun, pending) })
        }
      }
      enqueue.assign(change)
    }),
    startDecision: enqueueActions(({ enqueue, context }, params: Question) => {
      const child = childId('decision', context.drafts + 1)
      enqueue.spawnChild('decision', { id: child, input: decisionInput(context, params) })
      enqueue.assign({
        drafts: context.drafts + 1,
        live: withRunning(context.live, [child]),
        verdict: { ...context.verdict, decision: undefined },
      })
    }),
    editContext: enqueueActions(({ enqueue, context }) => applied(enqueue, editContext(context))),
    countOverflow: assign(({ context }) => recordOverflow(context)),
    startCompaction: enqueueActions(({ enqueue, context }) => {
      const child = childId('compaction', context.drafts)
      enqueue.spawnChild('compaction', { id: child, input: compactionInput(context) })
      enqueue.assign({
        live: withRunning(context.live, [child]),
        verdict: { ...context.verdict, compaction: undefined },
      })
    }),
    startScoring: enqueueActions(({ enqueue, context }) => {
      const child = childId('completion', context.step)
      enqueue.spawnChild('completion', { id: child, input: completionInput(context) })
      enqueue.assign({ live: withRunning(context.live, [child]) })
    }),
    cancelChildren: enqueueActions(({ enqueue, context }, params: Omit<CancelEvent, 'type'>) => {
      for (const child of liveChildren(context)) enqueue.sendTo(child, { ...params, type: 'cancel' })
      enqueue.assign(endBackground(context))
    }),
    expireChildren: enqueueActions(({ enqueue, context, event }) => {
      for (const child of liveChildren(context)) enqueue.sendTo(child, event)
      enqueue.assign(endBackground(context))
    }),
    /** Settles calls that still wait for a place, because each call of a model needs a result. */
    settleUnstarted: assign(({ context, event }) => settleUnstarted(context, spentError({ event }))),
    dropReply: assign({ reply: undefined }),
    reap: stopChild((_, params: { child: string }) => params.child),
    abortEffects: ({ self, event }) => sendToEffects(self, abortOrExpire(event), causeOf(event)),
    announceStepStart: emit(({ context }) => event('step-start', { step: context.step })),
    announceOpenStep: emit(({ context }) => event('step-start', { step: context.step, ...offerTo(context) })),
    announceMessage: enqueueActions(({ enqueue, context }) => {
      for (const event of messageEvents(context, context.calls)) enqueue.emit(event)
    }),
    /** As `announceMessage`, of a model that can only answer: calls in its reply are not carried out. */
    announceAnswer: enqueueActions(({ enqueue, context }) => {
      for (const event of messageEvents(context)) enqueue.emit(event)
    }),
    speakResult: enqueueActions(({ enqueue, context }) => applied(enqueue, spoken(context))),
    announceRefusedCalls: enqueueActions(({ enqueue, context }) => {
      for (const refusal of refusalEvents(context)) enqueue.emit(refusal)
    }),
    announceRetry: emit(({ context }, params: ErrorData) =>
      event(
        'error',
        { error: params, willRetry: true, failures: context.attempts.failures },
        currentMessage(context),
      ),
    ),
    announceError: emit((_, params: ErrorData) => event('error', { error: params, willRetry: false })),
    announceRefusal: emit(({ context }) =>
      event(
        'error',
        { error: refusal(context), willRetry: true, failures: context.attempts.refusals + 1 },
        currentMessage(context),
      ),
    ),
    announceBackgroundEnd: emit(({ context }, params: { child: string; outcome: BackgroundOutcome }) =>
      event('background-end', { ...backgroundTask(context, params.child), outcome: params.outcome }),
    ),
    announceAbort: emit((_, params: { reason?: string }) =>
      event('abort', { reason: params.reason ?? 'cancelled' }),
    ),
    announceHeld: emit({ type: 'held' }),
    announceReleased: emit({ type: 'released' }),
    announceIterationStart: emit(({ context }) => event('iteration-start', { iteration: context.step })),
    /** Ends the iteration that is open, if one is. */
    endIteration: enqueueActions(({ enqueue, context }, params: { continue: boolean }) => {
      if (!context.verdict.isOpen) return
      enqueue.assign({ verdict: { ...context.verdict, isOpen: false } })
      enqueue.emit(event('iteration-end', { iteration: context.step, continue: params.continue }))
    }),
    announceFeedback: emit(({ context }, params: Review) =>
      event('iteration-feedback', { iteration: context.step, message: params.feedback ?? '' }),
    ),
  },
})

/**
 * The setup of the loop for a pattern with work of its own. XState's `extend` can neither narrow a context nor add actors: a
 * chart with `More` actors is provided with them.
 */
export function createLoop<Work, More extends object = object>(): LoopWith<Work, More> {
  return loopSetup as unknown as LoopWith<Work, More>
}

type LoopWith<Work, More> =
  typeof loopSetup extends SetupReturn<
    LoopContext,
    infer Event,
    infer Actors,
    infer Children,
    infer Actions,
    infer Guards,
    infer Delay,
    infer Tag,
    infer Input,
    infer Output,
    infer Emitted,
    infer Meta,
    infer TransitionMeta
  >
    ? SetupReturn<
        LoopContext<Work>,
        Event,
        Actors & More,
        Children,
        Actions,
        Guards,
        Delay,
        Tag,
        Input,
        Output,
        Emitted,
        Meta,
        TransitionMeta
      >
    : never
