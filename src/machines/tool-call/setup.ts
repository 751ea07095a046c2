/** The guards, actions and actors of a tool call, by name. */
import { assign, emit, setup } from 'xstate'
import { effect, sendToEffects } from '../../actors/effects/effect.ts'
import type { EffectOutcome } from '../../actors/effects/effect-kinds.ts'
import { isRecord, type JsonValue } from '../../actors/values/json.ts'
import { timeoutCodes } from '../../actors/timeouts.ts'
import { defaultInterruptions, type OnInterrupted, type SuspensionAnswer } from '../../actors/tool.ts'
import type { ErrorData } from '../../errors.ts'
import { abortOrExpire, causeOf, type BudgetSpentEvent, type CancelEvent } from '../contract/cancel.ts'
import { answerPayload, changesArguments, misfitOf, uncheckedOf } from '../contract/answers.ts'
import { event, type AnswerPayload, type MachineEvent } from '../contract/events.ts'
import {
  approvalPolicy,
  approvalTimeout,
  ofClient,
  type AskedByTool,
  type ToolCallContext,
  type ToolCallInput,
} from './context.ts'
import type { ToolCallOutput } from '../contract/reports.ts'

type Signal = EffectOutcome<'signal'>

export const toolCallSetup = setup({
  types: {
    input: {} as ToolCallInput,
    context: {} as ToolCallContext,
    events: {} as CancelEvent | BudgetSpentEvent,
    output: {} as ToolCallOutput,
    emitted: {} as MachineEvent,
  },
  actors: { tool: effect('tool'), hook: effect('hook'), signal: effect('signal'), timer: effect('timer') },
  guards: {
    isInvalid: ({ context }) => context.check.status === 'invalid',
    needsAsynchronousCheck: ({ context }) => context.check.status === 'asynchronous',
    hasApprovalPredicate: ({ context }) => approvalPolicy(context) === 'asks',
    requiresApproval: ({ context }) => approvalPolicy(context) === true,
    isApprovedForRun: ({ context }) => context.standing?.approved === true,
    isDeniedForRun: ({ context }) => context.standing?.approved === false,
    ignoresHookErrors: ({ context }) => context.hookErrors === 'ignore',
    changesArguments: (_, params: Signal) => changesArguments(params),
    answeredYes: (_, params: { answer: boolean }) => params.answer,
    saysYes: (_, params: boolean) => params,
    sleeps: ({ context }) => context.asked.delay !== undefined,
    hasApprovalTimeout: ({ context }) => approvalTimeout(context) !== undefined,
    /** Nobody knows whether the call was performed before the point to which the run was restored. */
    asksWhenRestored: ({ context }, params: EffectOutcome<'tool'>) =>
      isRestored(params) && onInterrupted(context) !== 'fail',
    asksWhenInterrupted: ({ context }, params: EffectOutcome<'tool'>) =>
      params.type === 'interrupted' && onInterrupted(context) === 'ask',
    failsWhenInterrupted: ({ context }, params: EffectOutcome<'tool'>) =>
      params.type === 'interrupted' && onInterrupted(context) === 'fail',
    mayNotHaveBegun: (_, params: EffectOutcome<'tool'>) =>
      params.type === 'interrupted' && params.isUncertain === true,
    /** The tool itself may be the cause that ends the process. */
    isInterruptedTooOften: ({ context }, params: EffectOutcome<'tool'>) =>
      params.type === 'interrupted' && context.interruptions >= maxInterruptions(context),
    isInterrupted: (_, params: EffectOutcome<'tool'>) => params.type === 'interrupted',
    givesResult: (_, params: Signal) => params.approved && givenResult(params) !== undefined,
    isSuspended: (_, params: EffectOutcome<'tool'>) => params.type === 'suspended',
    hasTimedOut: (_, params: ErrorData) => params.code === timeoutCodes.tool && params.retryable !== true,
    mayRetry: ({ context }, params: ErrorData) =>
      params.retryable === true && context.failures < context.retries,
    isDetached: (_, params: { cause: CancelEvent['cause'] }) => params.cause === 'bail',
  },
  actions: {
    recordSpent: assign(({ event }) => (event.type === 'budget.spent' ? { error: event.error } : {})),
    announceCall: emit(({ context }) =>
      event('tool-call', {
        toolCallId: context.callId,
        toolName: context.call.name,
        args: context.call.args,
      }),
    ),
    announceApproval: emit(({ context }) =>
      event('tool-call-approval', {
        toolCallId: context.callId,
        toolName: context.call.name,
        args: context.call.args,
      }),
    ),
    announceSuspension: emit(({ context }) =>
      event('tool-call-suspended', {
        toolCallId: context.callId,
        toolName: context.call.name,
        suspendPayload: context.asked.payload,
        ...ofClient(context),
      }),
    ),
    announceInterruption: emit(({ context }, { restored }: { restored: boolean }) =>
      event('tool-call-suspended', {
        toolCallId: context.callId,
        toolName: context.call.name,
        suspendPayload: { interrupted: true, ...(restored ? { restored } : {}) },
      }),
    ),
    announceResult: emit(({ context }) =>
      event('tool-result', {
        toolCallId: context.callId,
        toolName: context.call.name,
        result: context.value,
      }),
    ),
    announceError: emit(({ context }, params: { outcome: Exclude<ToolCallOutput['outcome'], 'succeeded'> }) =>
      event('tool-error', {
        toolCallId: context.callId,
        toolName: context.call.name,
        outcome: params.outcome,
        ...(context.error === undefined ? {} : { error: context.error }),
      }),
    ),
    announceHookError: emit((_, params: ErrorData) => event('error', { error: params, willRetry: false })),
    announceApproved: emit(({ context }, params: Signal) => answered(context, 'approval', params)),
    announceResumed: emit(({ context }, params: Signal) => answered(context, 'suspension', params)),
    announceWaking: emit(({ context }) => answered(context, 'suspension', byTime)),
    announceVerdict: emit(({ context }, params: Signal) => answered(context, 'interruption', params)),
    announceChange: emit(({ context }) => answered(context, 'approval', changeOf(context).answer)),
    announceMisfit: emit(({ context }, params: string) =>
      event('error', { error: misfitOf(context.call.name, params), willRetry: false }),
    ),
    announceUnchecked: emit(({ context }) =>
      event('error', { error: uncheckedOf(context.call.name), willRetry: false }),
    ),
    announceHeld: emit({ type: 'held' }),
    announceReleased: emit({ type: 'released' }),
    recordChange: assign(({ context: { call, toolset } }, params: Signal) => {
      const { verdict: _verdict, ...asked } = call
      const { verdict } = params
      const changed = { ...asked, args: params.args ?? call.args, ...(verdict && { verdict }) }
      return { call: changed, check: toolset.check(changed), change: { asked: call, answer: params } }
    }),
    dropChange: assign(({ context }) => ({
      call: changeOf(context).asked,
      check: { status: 'valid' as const, value: changeOf(context).asked.args },
      change: undefined,
    })),
    recordInvalid: assign(({ context }) => {
      const problem = context.check.status === 'invalid' ? context.check.problem : ''
      return { explanation: problem, error: invalidCall(problem) }
    }),
    recordCheck: assign(({ context }, { problem }: { problem: string | null }) => ({
      check:
        problem === null
          ? { status: 'valid' as const, value: context.call.args }
          : { status: 'invalid' as const, problem },
    })),
    recordValue: assign((_, params: EffectOutcome<'tool'>) => ({
      value: params.type === 'returned' ? params.value : null,
      files: params.type === 'returned' ? (params.files ?? []) : [],
      ...(params.type === 'returned' && params.leaving === true ? { leaving: true as const } : {}),
    })),
    recordPayload: assign((_, params: EffectOutcome<'tool'>) => ({ asked: askedIn(params) })),
    recordGivenResult: assign((_, params: Signal) => ({ value: givenResult(params) ?? null })),
    recordInterruption: assign({
      error: {
        name: 'InterruptedError',
        code: 'INTERRUPTED',
        message: 'The process ended while the tool was at work, and nobody knows how far it came.',
      },
    }),
    beginAgain: assign({ isAgain: true }),
    countInterruption: assign(({ context }) => ({ interruptions: context.interruptions + 1 })),
    recordNoApproval: assign(({ context }) => {
      const message = `Tool call denied: nobody answered within ${approvalTimeout(context)} ms.`
      return { explanation: message, error: { name: 'DeniedError', code: 'APPROVAL_TIMEOUT', message } }
    }),
    recordError: assign((_, params: ErrorData) => ({ error: params })),
    recordTimeout: assign((_, params: ErrorData) => ({
      error: params,
      explanation: `${params.message} Ask it for less, or go on without it.`,
    })),
    countFailure: assign(({ context }, params: ErrorData) => ({
      failures: context.failures + 1,
      error: params,
    })),
    recordResumeData: assign(({ context: { answers, asked } }, params: Signal) => ({
      answers: [...answers, answerTo(asked, params)],
    })),
    recordWaking: assign(({ context: { answers, asked } }) => ({
      answers: [...answers, { ...answerTo(asked, byTime), woken: true as const }],
    })),
    recordDenial: assign((_, params: Signal) => denial(params)),
    recordStandingDenial: assign(({ context }) => denial(context.standing)),
    abortEffects: ({ self, event }) => sendToEffects(self, abortOrExpire(event), causeOf(event)),
    detachEffects: ({ self }) => sendToEffects(self, 'detach'),
  },
})

/** The answer of the time that comes. */
const byTime: Signal = { approved: true }

function isRestored(outcome: EffectOutcome<'tool'>): boolean {
  return outcome.type === 'interrupted' && outcome.restored === true
}

/** Whether the event is the outcome of a call that may have been performed before a restore. */
export function isOfRestored(event: object): boolean {
  return 'output' in event && isRecord(event.output) && event.output['restored'] === true
}

function answered({ callId, call }: ToolCallContext, type: AnswerPayload['type'], answer: Signal) {
  const payload = { toolCallId: callId, toolName: call.name, ...answerPayload(type, answer) }
  return event('tool-call-answered', payload)
}

function askedIn(outcome: EffectOutcome<'tool'>): ToolCallContext['asked'] {
  if (outcome.type !== 'suspended') return { payload: null }
  const { payload, name, delay } = outcome
  return {
    payload,
    ...(name === undefined ? {} : { name }),
    ...(delay === undefined ? {} : { delay }),
  }
}

function answerTo({ delay: _delay, ...asked }: AskedByTool, answer: Signal): SuspensionAnswer {
  const { data = null, by, note } = answer
  return { ...asked, data, ...(by === undefined ? {} : { by }), ...(note === undefined ? {} : { note }) }
}

type Change = NonNullable<ToolCallContext['change']>

/** Read in `rechecking` alone, whose entry records it. */
function changeOf({ change }: ToolCallContext): Change {
  return change as Change
}

function onInterrupted({ toolset, call }: ToolCallContext): OnInterrupted | undefined {
  return toolset.tools.get(call.name)?.onInterrupted
}

function maxInterruptions({ toolset, call }: ToolCallContext): number {
  return toolset.tools.get(call.name)?.maxInterruptions ?? defaultInterruptions
}

/** `decision`: of a person. */
function denial(decision: Signal | undefined) {
  const message = `Tool call denied: ${decision?.reason ?? 'no reason was given'}`
  return { explanation: message, error: { name: 'DeniedError', code: 'DENIED', message } }
}

/** A person may give the result of the tool: `{ result: … }`. */
function givenResult({ data }: Signal): JsonValue | undefined {
  return isRecord(data) && 'result' in data ? data['result'] : undefined
}

function invalidCall(message: string): ErrorData {
  return { name: 'InvalidToolCallError', code: 'INVALID_TOOL_CALL', message }
}
