/** The guards of the loop: questions about its context, and about the event that has come. */
import type { ModelReply } from '../../actors/chat-model.ts'
import type { HookOutcome } from '../../actors/effects/effect-kinds.ts'
import type { ErrorData } from '../../errors.ts'
import type { AgentOutcome } from '../contract/agent.ts'
import type { Report } from '../contract/reports.ts'
import { mayFallBack } from '../contract/model-row.ts'
import { isOverBudget, lacksUsage } from '../contract/spent.ts'
import { hasBackground, isBackground } from './changes/background.ts'
import { startable } from './changes/children.ts'
import { mustEdit } from './changes/editing.ts'
import { isAnswer, type InContext } from './changes/context.ts'
import { liveChild } from './changes/live.ts'
import { exhaustionOf } from './changes/next-step.ts'
import { hasExchange, mayHavePartial } from './changes/memory.ts'
import {
  allSettled,
  bails,
  hasFeedback,
  hasReadable,
  hasProcessorFailed,
  isAccepted,
  hasAcceptedReply,
  isAtEnd,
  isBail,
  isIdle,
  hasPassedScoring,
  cannotBeMet,
  isUnmet,
  lacksAnswer,
  mustScore,
  mustScreenSayings,
  noLiveChildren,
  onlyHeldLeft,
} from './changes/predicates.ts'
import { lacksCall } from './tool-choice.ts'
import { mayTakeSaying } from './waiting-sayings.ts'
import { hasUnspokenAnswer } from './changes/spoken-answer.ts'
import { mayCallAfterCompaction, mayCompact, mustCompact } from './changes/window.ts'

export type ObjectCheck = HookOutcome<'validateObject'>

export type Review = HookOutcome<'onIterationComplete'>

export const loopGuards = {
  // the memory
  isDynamic: ({ context }: InContext) => context.input.profile.dynamic.length > 0,
  hasMemory: ({ context }: InContext) => context.input.profile.memory !== undefined,
  /** The thread is with another agent, to which a handoff has led before. */
  resumesHandoff: ({ context }: InContext) => context.input.holder !== undefined,
  hasExchange: ({ context }: InContext) => hasExchange(context),
  /** An answer may have been cut, and its text so far is asked for. */
  mayHavePartial: ({ context }: InContext) => mayHavePartial(context),
  // processors
  hasInputProcessorLeft: ({ context }: InContext) =>
    (context.screening?.next ?? 0) < context.input.profile.processors.input.length,
  hasOutputProcessor: ({ context }: InContext) => context.input.profile.hooks.processOutput !== undefined,
  hasOutputProcessorLeft: ({ context }: InContext) =>
    (context.screening?.next ?? 0) < context.input.profile.processors.output.length,
  ignoresProcessorError: ({ context }: InContext) =>
    hasProcessorFailed(context) && context.input.profile.hookErrors === 'ignore',
  /** A processor failed or refused. */
  isRejected: ({ context }: InContext) =>
    hasProcessorFailed(context) || context.screening?.tripwire !== undefined,
  mayAskAgain: ({ context }: InContext) =>
    !hasProcessorFailed(context) &&
    context.screening?.tripwire?.retry === true &&
    context.attempts.refusals < context.input.profile.maxProcessorRetries,
  // the reply
  isOverBudget: (_: InContext, params: ErrorData) => isOverBudget(params),
  mayRetry: ({ context }: InContext, params: ErrorData) =>
    params.retryable === true && context.attempts.failures < context.input.profile.retries,
  mayFallBack: ({ context: { input, attempts } }: InContext, params: ErrorData | undefined) =>
    mayFallBack(input.profile, attempts.fallen, params),
  // the window of the model
  mustEdit: ({ context }: InContext) => mustEdit(context),
  mustCompact: ({ context }: InContext) => mustCompact(context),
  mayCompact: ({ context }: InContext, params: ErrorData) => mayCompact(context, params),
  mayCallAfterCompaction: ({ context }: InContext) => mayCallAfterCompaction(context),
  isCompactionOver: ({ context }: InContext) => context.verdict.compaction !== undefined,
  hasStepHook: ({ context }: InContext) => context.input.profile.hooks.onStepFinish !== undefined,
  isRefusal: (_: InContext, params: ModelReply) =>
    params.finishReason === 'refusal' || params.finishReason === 'content-filter',
  mustCheckObject: ({ context }: InContext, params: ModelReply) =>
    context.input.profile.responseFormat !== undefined && isAnswer(params),
  hasShape: (_: InContext, params: ObjectCheck) => params.problem === null,
  mayRepair: ({ context }: InContext) => context.attempts.repairs < 1,
  lacksCall: ({ context }: InContext) => lacksCall(context),
  mayAskForCall: ({ context }: InContext) => lacksCall(context) && context.attempts.repairs < 1,
  hasToolCalls: (_: InContext, params: ModelReply) => params.toolCalls.length > 0,
  // the calls
  isBailing: ({ context }: InContext) =>
    context.bail !== undefined && (context.input.profile.bailStrategy === 'first' || allSettled(context)),
  allSettled: ({ context }: InContext) => allSettled(context),
  hasPlace: ({ context }: InContext) =>
    context.started < context.calls.length && startable(context).length > 0,
  onlyHeldLeft: ({ context }: InContext) => onlyHeldLeft(context),
  isAtWork: ({ context }: InContext) => !onlyHeldLeft(context),
  /** The report is from a child that is live. */
  isAwaited: ({ context }: InContext, params: { child: string }) =>
    liveChild(context.live, params.child) !== undefined,
  noLiveChildren: ({ context }: InContext) => noLiveChildren(context),
  // background work
  bailsInBackground: ({ context }: InContext, params: { child: string; report: Report }) =>
    isBackground(context, params.child) &&
    isBail(params.report) &&
    !context.background.isEnding &&
    bails(context),
  isBackground: ({ context }: InContext, params: { child: string }) => isBackground(context, params.child),
  hasBackground: ({ context }: InContext) => hasBackground(context),
  isBackgroundDoneAtEnd: ({ context }: InContext) => !hasBackground(context) && isAtEnd(context),
  mayReadNotices: ({ context }: InContext) => hasReadable(context) && !isAtEnd(context),
  waitsForBackground: ({ context }: InContext) =>
    isAccepted(context) && !hasReadable(context) && hasBackground(context),
  // messages of people
  mayTakeSaying: ({ context }: InContext) => mayTakeSaying(context),
  mustScreenSayings: ({ context }: InContext) => mustScreenSayings(context),
  isScreened: ({ context }: InContext) => context.verdict.screening !== undefined,
  // the decisions of patterns
  isDecided: ({ context }: InContext) => context.verdict.decision?.decision === 'made',
  hasFailedToDecide: ({ context }: InContext) =>
    context.verdict.decision !== undefined && context.verdict.decision.decision !== 'made',
  decisionIsOverBudget: ({ context }: InContext) => isOverBudget(context.verdict.decision?.error),
  decisionLacksUsage: ({ context }: InContext) => lacksUsage(context.verdict.decision?.error),
  // the iteration
  hasReviewHook: ({ context }: InContext) => context.input.profile.hooks.onIterationComplete !== undefined,
  endsRunWithFeedback: (_: InContext, params: Review) => !params.continue && hasFeedback(params),
  endsRun: (_: InContext, params: Review) => !params.continue,
  hasObjection: (_: InContext, params: Review) => hasFeedback(params),
  mustScore: ({ context }: InContext) => mustScore(context),
  isScoredComplete: ({ context }: InContext) =>
    hasPassedScoring(context) && isAnswer(context.reply) && isIdle(context),
  isScoredWithoutAnswer: ({ context }: InContext) =>
    hasPassedScoring(context) && !isAnswer(context.reply) && isIdle(context),
  /** A pattern overrides it to accept the result of a step as the answer. */
  isScoredOnResult: (_: InContext) => false,
  /** As `isScoredOnResult`, where the answer is written in a model call of its own. */
  isScoredToWrite: (_: InContext) => false,
  endsUnmet: ({ context }: InContext) =>
    isUnmet(context) && (context.input.profile.completion?.continueOnFail === false || cannotBeMet(context)),
  isScored: ({ context }: InContext) => context.verdict.scoring !== undefined,
  isAnswered: ({ context }: InContext) => hasAcceptedReply(context) && isIdle(context),
  hasStopCondition: ({ context }: InContext) => context.input.profile.hooks.stopWhen !== undefined,
  answeredYes: (_: InContext, params: { answer: boolean }) => params.answer,
  ignoresHookErrors: ({ context }: InContext) => context.input.profile.hookErrors === 'ignore',
  /** A pattern overrides it to settle its reports one by one. */
  hasReport: (_: InContext) => false,
  /** A pattern overrides it if it has other work. */
  hasOtherWork: (_: InContext) => false,
  isAtLimit: ({ context }: InContext) => exhaustionOf(context) !== undefined,
  isAtCap: ({ context }: InContext) => context.step >= context.input.maxSteps,
  // the end
  lacksAnswer: ({ context }: InContext) => lacksAnswer(context),
  /** The final turn is needed for an answer, or the budget cannot be checked any more. */
  isFinalTurnFatal: ({ context }: InContext, params: ErrorData) => lacksUsage(params) || lacksAnswer(context),
  stopsWhenExhausted: ({ context }: InContext) => context.input.profile.onExhausted === 'stop',
  hasUnspokenAnswer: ({ context }: InContext) => hasUnspokenAnswer(context),
  // After a cancel nothing starts; so a bail does not wait for the hooks of the agents that it cancels.
  callsFinishHook: ({ context }: InContext) =>
    context.input.profile.hooks.onFinish !== undefined && context.ending.outcome !== 'cancelled',
  endsAs: ({ context }: InContext, params: { outcome: AgentOutcome }) =>
    context.ending.outcome === params.outcome,
}
