/**
 * One tool call of a model: checked, approved where a person must, executed, retried, held while it waits.
 * It ends in exactly one typed outcome and tells the model only what the model may know.
 */
import { assign, emit, setup } from 'xstate'
import { effect, tellEffects } from '../actors/effect.ts'
import type { EffectOutcome } from '../actors/effect-kinds.ts'
import type { JsonValue } from '../actors/json.ts'
import type { ToolCall } from '../actors/message.ts'
import type { CallCheck, Toolset } from '../actors/toolset.ts'
import type { ErrorData } from '../errors.ts'
import { backoffDelay } from './backoff.ts'
import type { CancelEvent } from './cancel.ts'
import { event, type MachineEvent } from './events.ts'
import { failure, output } from './params.ts'

export interface ToolCallInput {
  /** The agent whose model called. */
  readonly agent: string
  /** Unique in the tree of the run; the path of this actor. */
  readonly callId: string
  readonly call: ToolCall
  readonly toolset: Toolset
  /** How often a `RetryableError` is tried again. */
  readonly retries: number
  readonly hookErrors: 'fail' | 'ignore'
}

export interface ToolCallOutput {
  readonly outcome: 'succeeded' | 'failed' | 'denied' | 'cancelled'
  readonly value?: JsonValue
  readonly error?: ErrorData
  /** What the model is told. */
  readonly content: string
}

export interface ToolCallContext extends ToolCallInput {
  readonly check: CallCheck
  readonly failures: number
  readonly value: JsonValue
  readonly error: ErrorData | undefined
  /** Worded for the model; `undefined` when it may only know that the call failed. */
  readonly explanation: string | undefined
  readonly payload: JsonValue
  readonly resumeData: JsonValue | undefined
}

type Signal = EffectOutcome<'signal'>

const toolCallSetup = setup({
  types: {
    input: {} as ToolCallInput,
    context: {} as ToolCallContext,
    events: {} as CancelEvent,
    output: {} as ToolCallOutput,
    emitted: {} as MachineEvent,
  },
  actors: { tool: effect('tool'), hook: effect('hook'), signal: effect('signal'), timer: effect('timer') },
  guards: {
    isInvalid: ({ context }) => context.check.status === 'invalid',
    needsAsynchronousCheck: ({ context }) => context.check.status === 'asynchronous',
    hasApprovalPredicate: ({ context }) =>
      typeof context.toolset.tools.get(context.call.name)?.requireApproval === 'function',
    requiresApproval: ({ context }) => context.toolset.tools.get(context.call.name)?.requireApproval === true,
    ignoresHookErrors: ({ context }) => context.hookErrors === 'ignore',
    foundProblem: (_, params: { problem: string | null }) => params.problem !== null,
    answeredYes: (_, params: { answer: boolean }) => params.answer,
    isSuspended: (_, params: EffectOutcome<'tool'>) => params.type === 'suspended',
    mayRetry: ({ context }, params: ErrorData) =>
      params.retryable === true && context.failures < context.retries,
    isDetached: (_, params: { cause: CancelEvent['cause'] }) => params.cause === 'bail',
  },
  actions: {
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
        suspendPayload: context.payload,
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
        error: context.error,
      }),
    ),
    announceHookError: emit((_, params: ErrorData) => event('error', { error: params, willRetry: false })),
    announceHeld: emit({ type: 'held' }),
    announceReleased: emit({ type: 'released' }),
    recordInvalid: assign(({ context }) => {
      const problem = context.check.status === 'invalid' ? context.check.problem : ''
      return { explanation: problem, error: invalidCall(problem) }
    }),
    recordProblem: assign((_, params: { problem: string | null }) => ({
      explanation: params.problem ?? '',
      error: invalidCall(params.problem ?? ''),
    })),
    recordValue: assign((_, params: EffectOutcome<'tool'>) => ({
      value: params.type === 'returned' ? params.value : null,
    })),
    recordPayload: assign((_, params: EffectOutcome<'tool'>) => ({
      payload: params.type === 'suspended' ? params.payload : null,
    })),
    recordError: assign((_, params: ErrorData) => ({ error: params })),
    countFailure: assign(({ context }, params: ErrorData) => ({
      failures: context.failures + 1,
      error: params,
    })),
    recordResumeData: assign((_, params: Signal) => ({ resumeData: params.data ?? null })),
    recordDenial: assign((_, params: Signal) => {
      const message = `Tool call denied: ${params.reason ?? 'no reason was given'}`
      return { explanation: message, error: { name: 'DeniedError', code: 'DENIED', message } }
    }),
    abortEffects: ({ self }) => tellEffects(self, 'abort'),
    detachEffects: ({ self }) => tellEffects(self, 'detach'),
  },
})

export const toolCallMachine = toolCallSetup.createMachine({
  id: 'tool-call',
  description: 'One tool call: validated, approved, executed, retried; exactly one typed outcome.',
  context: ({ input }) => ({
    ...input,
    check: input.toolset.check(input.call),
    failures: 0,
    value: null,
    error: undefined,
    explanation: undefined,
    payload: null,
    resumeData: undefined,
  }),
  output: ({ event }) => event.output as ToolCallOutput,
  initial: 'validating',
  on: { cancel: { target: '.cancelled', actions: 'abortEffects' } },
  states: {
    validating: {
      entry: 'announceCall',
      description: 'Nothing runs before the arguments fit the schema of the tool.',
      initial: 'checking',
      states: {
        checking: {
          always: [
            { guard: 'needsAsynchronousCheck', target: 'checkingLater' },
            { guard: 'isInvalid', target: '#failed', actions: 'recordInvalid' },
            { target: 'seekingApproval' },
          ],
        },
        checkingLater: {
          description: 'The schema of the tool answers asynchronously.',
          invoke: {
            src: 'hook',
            id: 'hook:validateArguments',
            input: ({ context }) => ({
              agent: context.agent,
              hook: 'validateArguments',
              scope: 'agent',
              data: { tool: context.call.name, args: context.call.args },
            }),
            onDone: [
              {
                guard: {
                  type: 'foundProblem',
                  params: ({ event }) => event.output as { problem: string | null },
                },
                target: '#failed',
                actions: {
                  type: 'recordProblem',
                  params: ({ event }) => event.output as { problem: string | null },
                },
              },
              { target: 'seekingApproval' },
            ],
            onError: { target: '#failed', actions: { type: 'recordError', params: failure } },
          },
        },
        seekingApproval: {
          always: [
            { guard: 'hasApprovalPredicate', target: 'askingPredicate' },
            { guard: 'requiresApproval', target: '#awaitingApproval' },
            { target: '#executing' },
          ],
        },
        askingPredicate: {
          invoke: {
            src: 'hook',
            id: 'hook:requireApproval',
            input: ({ context }) => ({
              agent: context.agent,
              hook: 'requireApproval',
              scope: 'agent',
              data: { tool: context.call.name, args: context.call.args },
            }),
            onDone: [
              {
                guard: { type: 'answeredYes', params: ({ event }) => ({ answer: event.output as boolean }) },
                target: '#awaitingApproval',
              },
              { target: '#executing' },
            ],
            onError: [
              {
                guard: 'ignoresHookErrors',
                target: '#awaitingApproval',
                actions: { type: 'announceHookError', params: failure },
              },
              { target: '#failed', actions: { type: 'recordError', params: failure } },
            ],
          },
        },
      },
    },
    awaitingApproval: {
      id: 'awaitingApproval',
      description: 'A person must approve. The call holds only itself: its place in the window is free.',
      entry: ['announceApproval', 'announceHeld'],
      exit: 'announceReleased',
      invoke: {
        src: 'signal',
        id: 'signal:approval',
        input: ({ context }) => ({
          id: context.callId,
          type: 'approval',
          agent: context.agent,
          toolName: context.call.name,
          args: context.call.args,
        }),
        onDone: [
          {
            guard: { type: 'answeredYes', params: ({ event }) => ({ answer: event.output.approved }) },
            target: 'executing',
          },
          { target: 'denied', actions: { type: 'recordDenial', params: output } },
        ],
      },
    },
    executing: {
      id: 'executing',
      invoke: {
        src: 'tool',
        id: 'tool',
        input: ({ context }) => ({
          agent: context.agent,
          tool: context.call.name,
          callId: context.callId,
          args: context.call.args,
          ...(context.resumeData === undefined ? {} : { resumeData: context.resumeData }),
        }),
        onDone: [
          {
            guard: { type: 'isSuspended', params: output },
            target: 'suspended',
            actions: { type: 'recordPayload', params: output },
          },
          { target: 'succeeded', actions: { type: 'recordValue', params: output } },
        ],
        onError: [
          {
            guard: { type: 'mayRetry', params: failure },
            target: 'retrying',
            actions: { type: 'countFailure', params: failure },
          },
          { target: 'failed', actions: { type: 'recordError', params: failure } },
        ],
      },
      on: {
        cancel: [
          {
            guard: { type: 'isDetached', params: ({ event }) => ({ cause: event.cause }) },
            target: 'cancelled',
            actions: 'detachEffects',
          },
          { target: 'cancelled', actions: 'abortEffects' },
        ],
      },
    },
    suspended: {
      description: 'The tool asked to be held until it is given data.',
      entry: ['announceSuspension', 'announceHeld'],
      exit: 'announceReleased',
      invoke: {
        src: 'signal',
        id: 'signal:suspension',
        input: ({ context }) => ({
          id: context.callId,
          type: 'suspension',
          agent: context.agent,
          toolName: context.call.name,
          args: context.call.args,
          payload: context.payload,
        }),
        onDone: [
          {
            guard: { type: 'answeredYes', params: ({ event }) => ({ answer: event.output.approved }) },
            target: 'executing',
            actions: { type: 'recordResumeData', params: output },
          },
          { target: 'denied', actions: { type: 'recordDenial', params: output } },
        ],
      },
    },
    retrying: {
      description: 'Backing off after a retryable error.',
      invoke: {
        src: 'timer',
        id: 'timer:backoff',
        input: ({ context }) => ({ delay: backoffDelay(context.failures, context.error), jitter: true }),
        onDone: 'executing',
      },
    },
    succeeded: {
      type: 'final',
      entry: 'announceResult',
      output: ({ context }): ToolCallOutput => ({
        outcome: 'succeeded',
        value: context.value,
        content: typeof context.value === 'string' ? context.value : JSON.stringify(context.value),
      }),
    },
    failed: {
      id: 'failed',
      type: 'final',
      entry: { type: 'announceError', params: { outcome: 'failed' } },
      output: ({ context }) => ended('failed', context, `The tool "${context.call.name}" failed.`),
    },
    denied: {
      type: 'final',
      entry: { type: 'announceError', params: { outcome: 'denied' } },
      output: ({ context }) => ended('denied', context, 'Tool call denied.'),
    },
    cancelled: {
      type: 'final',
      entry: { type: 'announceError', params: { outcome: 'cancelled' } },
      output: ({ context }) => ended('cancelled', context, 'The tool call was cancelled.'),
    },
  },
})

function ended(
  outcome: 'failed' | 'denied' | 'cancelled',
  context: ToolCallContext,
  otherwise: string,
): ToolCallOutput {
  return {
    outcome,
    ...(context.error === undefined ? {} : { error: context.error }),
    content: JSON.stringify({
      error: context.explanation ?? otherwise,
      ...(outcome === 'denied' ? { denied: true } : {}),
    }),
  }
}

function invalidCall(message: string): ErrorData {
  return { name: 'InvalidToolCallError', code: 'INVALID_TOOL_CALL', message }
}
