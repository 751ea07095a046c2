/** The guards, actions and actors of a delegation, by name. */
import { successorId } from '../../actors/actor-path.ts'
import {
  assign,
  emit,
  sendTo,
  setup,
  spawnChild,
  stopChild,
  type DoneActorEvent,
  type ErrorActorEvent,
} from 'xstate'
import { effect, sendToEffects } from '../../actors/effects/effect.ts'
import type { EffectOutcome, HookOutcome } from '../../actors/effects/effect-kinds.ts'
import type { Message } from '../../actors/message.ts'
import { narrowed } from '../../actors/tool-groups.ts'
import type { ErrorData } from '../../errors.ts'
import { agentSource, type ChildHeldEvent, type AgentReport, type HandedOff } from '../contract/agent.ts'
import type { DelegationOutcome, SubagentOutcome } from '../contract/records.ts'
import {
  abortOrExpire,
  causeOf,
  type BudgetSpentEvent,
  type CancelEvent,
  type TimeoutEvent,
} from '../contract/cancel.ts'
import { answerPayload, changesArguments, misfitOf } from '../contract/answers.ts'
import { sharedHistory } from '../contract/conversation.ts'
import { event, type MachineEvent } from '../contract/events.ts'
import { changed, problemOf } from './changed-arguments.ts'
import { continued, successorRequest } from '../shared/handoff.ts'
import {
  approvalPolicy,
  agentRequest,
  answeredBy,
  approvalQuestion,
  besideOutcome,
  denial,
  delegationOutcome,
  groupsOf,
  hasMessageFilter,
  hasTimeout,
  outcomeWhenAsked,
  placeOf,
  timeoutError,
  type DelegationContext,
  type DelegationInput,
  unknownFile,
} from './context.ts'
import type { DelegationOutput } from '../contract/reports.ts'

export type Start = HookOutcome<'onDelegationStart'>
export type Review = HookOutcome<'onDelegationComplete'>
type Decision = EffectOutcome<'signal'>

const deadlineId = 'timer:deadline'

/** The subagent has ended, and the delegation ends so too unless something comes between. */
function ended(outcome: SubagentOutcome): Pick<DelegationContext, 'childOutcome' | 'outcome'> {
  return { childOutcome: outcome, outcome }
}

export const delegationSetup = setup({
  types: {
    input: {} as DelegationInput,
    context: {} as DelegationContext,
    events: {} as
      | CancelEvent
      | BudgetSpentEvent
      | TimeoutEvent
      | ChildHeldEvent
      | DoneActorEvent<AgentReport>
      | ErrorActorEvent,
    output: {} as DelegationOutput,
    emitted: {} as MachineEvent,
  },
  actors: { hook: effect('hook'), signal: effect('signal'), timer: effect('timer'), agent: agentSource },
  guards: {
    isTooDeep: ({ context }) => context.input.depth > context.input.profile.maxDepth,
    namesUnknownFile: ({ context }) => context.input.unknownFiles !== undefined,
    hasStartHook: ({ context }) => context.input.profile.hooks.onDelegationStart !== undefined,
    hasMessageFilter: ({ context }) => hasMessageFilter(context),
    callsCompleteHook: ({ context }) =>
      context.input.profile.hooks.onDelegationComplete !== undefined &&
      context.outcome !== 'cancelled' &&
      !context.isSpent,
    hasTimeout: ({ context }) => hasTimeout(context),
    ignoresHookErrors: ({ context }) => context.input.profile.hookErrors === 'ignore',
    asksForApproval: ({ context }) => approvalPolicy(context) === 'asks',
    requiresApproval: ({ context }) => approvalPolicy(context) === true,
    isApprovedForRun: ({ context }) => context.input.standing?.approved === true,
    isDeniedForRun: ({ context }) => context.input.standing?.approved === false,
    hasApprovalTimeout: ({ context }) => context.input.profile.delegation.approvalTimeout !== undefined,
    saysYes: (_, params: boolean) => params,
    isMisfit: ({ context }, params: Decision) =>
      changesArguments(params) && problemOf(context.input, params.args) !== undefined,
    changesArguments: (_, params: Decision) => changesArguments(params),
    changesArgumentsUnderDeadline: ({ context }, params: Decision) =>
      changesArguments(params) && hasTimeout(context),
    isApproved: (_, params: Decision) => params.approved,
    isApprovedUnderDeadline: ({ context }, params: Decision) => params.approved && hasTimeout(context),
    isRejected: (_, params: Start) => !params.proceed,
    isHandedOff: (_, params: AgentReport) => params.outcome === 'handedOff',
    isHandedOffUnderDeadline: ({ context }, params: AgentReport) =>
      params.outcome === 'handedOff' && hasTimeout(context),
    isReportUnderDeadline: ({ context }, params: AgentReport) =>
      params.outcome !== 'handedOff' && hasTimeout(context),
    hookBails: ({ context }) => context.review.bail,
    givesFeedback: (_, params: Review) => params.feedback !== undefined && params.feedback !== '',
    endsAs: ({ context }, params: Pick<DelegationContext, 'outcome'>) => context.outcome === params.outcome,
  },
  actions: {
    recordDepth: assign(({ context }) => ({
      error: {
        name: 'ExhaustedError',
        code: 'MAX_DEPTH',
        message: `The delegation to "${context.input.subagent}" would be ${context.input.depth} levels deep; at most ${context.input.profile.maxDepth} are allowed.`,
      },
    })),
    recordUnknownFile: assign(({ context }) => unknownFile(context)),
    recordRejection: assign((_, params: Start) => ({
      rejection: params.rejectionReason ?? 'no reason was given',
    })),
    recordChange: assign(({ context }, params: Decision) => changed(context, params.args)),
    recordDenial: assign((_, params: Decision) => denial('DENIED', params.reason ?? 'no reason was given')),
    recordStandingDenial: assign(({ context }) =>
      denial('DENIED', context.input.standing?.reason ?? 'no reason was given'),
    ),
    recordNoApproval: assign(({ context }) => {
      const { approvalTimeout } = context.input.profile.delegation
      return denial('APPROVAL_TIMEOUT', `there was no answer within ${approvalTimeout} ms`)
    }),
    applyChanges: assign(({ context }, params: Start) => ({
      prompt: params.modifiedPrompt ?? context.prompt,
      maxSteps: params.modifiedMaxSteps,
      toolGroups: narrowed(context.toolGroups, params.modifiedToolGroups),
      threadId: params.modifiedThreadId,
      addedInstructions:
        params.modifiedInstructions === undefined
          ? context.addedInstructions
          : [...context.addedInstructions, params.modifiedInstructions],
    })),
    shareHistory: assign(({ context }) => ({
      history: sharedHistory(context.input.conversation, context.input.profile.delegation),
    })),
    shareFiltered: assign((_, params: readonly Message[]) => ({ history: params })),
    recordHookError: assign((_, params: ErrorData) => ({ hookError: params })),
    recordHookFailure: assign(({ context }, params: ErrorData) => ({
      hookError: params,
      error: context.error ?? params, // the error of the subagent is not lost
      outcome: 'failed' as const,
    })),
    startAgent: spawnChild('agent', {
      id: ({ context }) => context.input.subagent,
      input: ({ context }) => agentRequest(context),
    }),
    startSuccessor: spawnChild('agent', {
      id: ({ context }) => context.atWork,
      input: ({ context }) => successorRequest(agentRequest(context), (context.result as HandedOff).handoff),
    }),
    reapAgent: stopChild(({ context }) => context.atWork),
    startDeadline: spawnChild('timer', {
      id: deadlineId,
      input: ({ context }) => ({ delay: context.input.profile.delegation.timeout ?? 0 }),
    }),
    pauseDeadline: sendTo(deadlineId, { type: 'effect.pause' }),
    unpauseDeadline: sendTo(deadlineId, { type: 'effect.unpause' }),
    stopDeadline: stopChild(deadlineId),
    recordLimit: assign((_, params: { after: number }) => ({ limit: params.after })),
    recordLapse: assign(({ context }) => ({
      outcome: 'timedOut' as const,
      error: context.error ?? timeoutError(context),
    })),
    recordHandoff: assign(({ context }, params: AgentReport) => {
      const { record, line } = (params as HandedOff).handoff
      return { result: continued(context.result, params), atWork: successorId(record.to, line.handoffs) }
    }),
    recordResult: assign(({ context }, params: AgentReport) => ({
      result: continued(context.result, params),
      error: params.error,
      ...ended(delegationOutcome(params.outcome)),
    })),
    recordCrash: assign((_, params: ErrorData) => ({ error: params, ...ended('failed') })),
    recordTimeout: assign(({ context }, params: AgentReport) => ({
      result: continued(context.result, params),
      childOutcome: outcomeWhenAsked(params.outcome, 'timedOut'),
      outcome: 'timedOut' as const,
      error: timeoutError(context),
    })),
    recordCancelled: assign(({ context }, params: AgentReport) => {
      const childOutcome = outcomeWhenAsked(params.outcome, 'cancelled')
      return {
        result: continued(context.result, params),
        childOutcome,
        ...(childOutcome === 'cancelled' ? {} : { error: params.error }),
      }
    }),
    recordSpent: assign({ isSpent: true }),
    /** No subagent is at work: the delegation ends with the results that it has. */
    recordShortfall: assign(({ context }, params: ErrorData) => ({
      isSpent: true,
      outcome: 'exhausted' as const,
      error: context.error ?? params,
    })),
    /** After a handoff the successor is not started. */
    recordExpired: assign(({ context }, params: AgentReport) => ({
      result: continued(context.result, params),
      error: params.error,
      ...ended(params.outcome === 'handedOff' ? 'exhausted' : delegationOutcome(params.outcome)),
    })),
    expireAgent: sendTo(
      ({ context }) => context.atWork,
      (_, params: BudgetSpentEvent) => params,
    ),
    recordCancel: assign(({ event }) => (event.type === 'cancel' ? { cancelReason: event.reason } : {})),
    recordReview: assign((_, params: Review) => ({ review: params })),
    cancelAgent: sendTo(
      ({ context }) => context.atWork,
      (_, params: Omit<CancelEvent, 'type'>) => ({ ...params, type: 'cancel' }),
    ),
    expireEffects: ({ self }) => sendToEffects(self, 'expire'),
    abortEffects: ({ self, event }) => sendToEffects(self, abortOrExpire(event), causeOf(event)),
    announceApproval: emit(({ context }) => {
      const { id: toolCallId, toolName, args } = approvalQuestion(context)
      return event('tool-call-approval', { toolCallId, toolName, args })
    }),
    announceAnswer: emit(({ context }, params: Decision) => {
      const { id: toolCallId, toolName } = approvalQuestion(context)
      return event('tool-call-answered', { toolCallId, toolName, ...answerPayload('approval', params) })
    }),
    announceMisfit: emit(({ context }, params: Decision) => {
      const { toolName } = approvalQuestion(context)
      const problem = problemOf(context.input, params.args) ?? ''
      return event('error', { error: misfitOf(toolName, problem), willRetry: false })
    }),
    announceStart: emit(({ context }) =>
      event('delegation-start', {
        agentName: context.input.key,
        agentId: context.input.subagent,
        prompt: context.prompt,
        ...placeOf(context),
        ...groupsOf(context),
      }),
    ),
    announceEnd: emit(({ context }, params: { outcome: DelegationOutcome }) =>
      event('delegation-end', {
        agentName: context.input.key,
        agentId: context.input.subagent,
        outcome: params.outcome,
        ...besideOutcome(context, params.outcome),
        text: context.result?.text ?? '',
        ...answeredBy(context),
        ...(context.error === undefined ? {} : { error: context.error }),
        ...(context.hookError === undefined ? {} : { hookError: context.hookError }),
      }),
    ),
    announceRejection: emit(({ context }) =>
      event('delegation-rejected', {
        agentName: context.input.key,
        agentId: context.input.subagent,
        reason: context.rejection ?? '',
      }),
    ),
    announceBail: emit(({ context }) =>
      event('delegation-bail', { agentName: context.input.key, agentId: context.input.subagent }),
    ),
    announceFeedback: emit(({ context }, params: Review) =>
      event('delegation-feedback', {
        agentName: context.input.key,
        agentId: context.input.subagent,
        message: params.feedback ?? '',
      }),
    ),
    announceHookError: emit((_, params: ErrorData) => event('error', { error: params, willRetry: false })),
    announceHeld: emit({ type: 'held' }),
    announceReleased: emit({ type: 'released' }),
  },
})
