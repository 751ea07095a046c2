/**
 * One delegation: authorised by the user's hook, run by a subagent, reviewed by the user's hook. It ends in
 * exactly one typed outcome, whatever the subagent, the hooks or the clock do.
 */
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
import type { AppendLog } from '../actors/append-log.ts'
import { effect, tellEffects } from '../actors/effect.ts'
import type { HookOutcome } from '../actors/effect-kinds.ts'
import type { Message } from '../actors/message.ts'
import type { DelegationArgs } from '../actors/toolset.ts'
import { noUsage, totalUsage, type UsageByAgent } from '../actors/usage.ts'
import type { ErrorData } from '../errors.ts'
import {
  agentSource,
  type AgentOutput,
  type AgentProfile,
  type AgentRequest,
  type ChildHeldEvent,
  type DelegationOutcome,
  type DelegationRecord,
} from './agent.ts'
import type { CancelEvent } from './cancel.ts'
import { sharedHistory } from './conversation.ts'
import { event, type MachineEvent } from './events.ts'
import { failure, output } from './params.ts'

export interface DelegationInput {
  /** The delegating agent. */
  readonly profile: AgentProfile
  readonly runId: string
  /** The path of this actor: the id of the delegation. */
  readonly path: string
  /** The name under which the parent knows the subagent. */
  readonly key: string
  /** The subagent's id. */
  readonly subagent: string
  readonly args: DelegationArgs
  /** The parent's conversation. */
  readonly conversation: AppendLog<Message>
  readonly task: string
  readonly iteration: number
  /** Of the subagent: 1 below the root agent. */
  readonly depth: number
  readonly resourceId: string | undefined
}

export interface DelegationOutput {
  readonly record: DelegationRecord
  /** What the parent's model is told. */
  readonly content: string
  /** For the very next prompt of the parent. */
  readonly feedback?: string
  readonly usage: UsageByAgent
  /** The id of the message that is the subagent's answer. */
  readonly message?: string
}

export interface DelegationContext extends DelegationInput {
  readonly prompt: string
  readonly addedInstructions: readonly string[]
  readonly maxSteps: number | undefined
  readonly history: readonly Message[]
  readonly result: AgentOutput | undefined
  /** What became of the subagent; the hook may still change what becomes of the delegation. */
  readonly childOutcome: 'succeeded' | 'failed' | 'exhausted' | 'timedOut' | 'cancelled'
  readonly rejection: string | undefined
  readonly error: ErrorData | undefined
  readonly hookError: ErrorData | undefined
  readonly review: HookOutcome<'onDelegationComplete'>
}

type Start = HookOutcome<'onDelegationStart'>
type Review = HookOutcome<'onDelegationComplete'>

const deadlineId = 'timer:deadline'

const delegationSetup = setup({
  types: {
    input: {} as DelegationInput,
    context: {} as DelegationContext,
    events: {} as CancelEvent | ChildHeldEvent | DoneActorEvent<AgentOutput> | ErrorActorEvent,
    output: {} as DelegationOutput,
    emitted: {} as MachineEvent,
  },
  actors: { hook: effect('hook'), timer: effect('timer'), agent: agentSource },
  guards: {
    isTooDeep: ({ context }) => context.depth > context.profile.maxDepth,
    hasStartHook: ({ context }) => context.profile.hooks.onDelegationStart !== undefined,
    hasMessageFilter: ({ context }) =>
      context.profile.hooks.messageFilter !== undefined &&
      context.profile.delegation.includeConversationHistory,
    hasCompleteHook: ({ context }) =>
      context.profile.hooks.onDelegationComplete !== undefined && context.childOutcome !== 'cancelled',
    hasTimeout: ({ context }) => context.profile.delegation.timeout !== undefined,
    ignoresHookErrors: ({ context }) => context.profile.hookErrors === 'ignore',
    isRejected: (_, params: Start) => !params.proceed,
    isBailed: ({ context }) => context.review.bail,
    endsAs: ({ context }, params: { outcome: DelegationContext['childOutcome'] }) =>
      context.childOutcome === params.outcome,
  },
  actions: {
    recordDepth: assign(({ context }) => ({
      error: {
        name: 'ExhaustedError',
        code: 'MAX_DEPTH',
        message: `The delegation to "${context.subagent}" would be ${context.depth} levels deep; at most ${context.profile.maxDepth} are allowed.`,
      },
    })),
    recordRejection: assign((_, params: Start) => ({
      rejection: params.rejectionReason ?? 'no reason was given',
    })),
    applyChanges: assign(({ context }, params: Start) => ({
      prompt: params.modifiedPrompt ?? context.prompt,
      maxSteps: params.modifiedMaxSteps,
      addedInstructions:
        params.modifiedInstructions === undefined
          ? context.addedInstructions
          : [...context.addedInstructions, params.modifiedInstructions],
    })),
    shareHistory: assign(({ context }) => ({
      history: sharedHistory(context.conversation, context.profile.delegation),
    })),
    shareFiltered: assign((_, params: readonly Message[]) => ({ history: params })),
    recordHookError: assign((_, params: ErrorData) => ({ hookError: params })),
    recordHookFailure: assign((_, params: ErrorData) => ({
      hookError: params,
      error: params,
      childOutcome: 'failed' as const,
    })),
    startAgent: spawnChild('agent', {
      id: ({ context }) => context.subagent,
      input: ({ context }) => agentRequest(context),
    }),
    startDeadline: spawnChild('timer', {
      id: deadlineId,
      input: ({ context }) => ({ delay: context.profile.delegation.timeout ?? 0 }),
    }),
    pauseDeadline: sendTo(deadlineId, { type: 'effect.pause' }),
    unpauseDeadline: sendTo(deadlineId, { type: 'effect.unpause' }),
    stopDeadline: stopChild(deadlineId),
    recordResult: assign((_, params: AgentOutput) => ({
      result: params,
      error: params.error,
      childOutcome: delegationOutcome(params.outcome),
    })),
    recordCrash: assign((_, params: ErrorData) => ({ error: params, childOutcome: 'failed' as const })),
    recordTimeout: assign(({ context }, params: AgentOutput) => ({
      result: params,
      childOutcome: 'timedOut' as const,
      error: {
        name: 'TimeoutError',
        code: 'DELEGATION_TIMEOUT',
        message: `The agent "${context.subagent}" did not finish within ${context.profile.delegation.timeout} ms.`,
      },
    })),
    recordCancelled: assign((_, params: AgentOutput) => ({
      result: params,
      childOutcome: 'cancelled' as const,
    })),
    recordReview: assign((_, params: Review) => ({ review: params })),
    cancelAgent: sendTo(
      ({ context }) => context.subagent,
      (_, params: Omit<CancelEvent, 'type'>) => ({ ...params, type: 'cancel' }),
    ),
    abortEffects: ({ self }) => tellEffects(self, 'abort'),
    announceStart: emit(({ context }) =>
      event('delegation-start', {
        agentName: context.key,
        agentId: context.subagent,
        prompt: context.prompt,
      }),
    ),
    announceEnd: emit(({ context }, params: { outcome: DelegationOutcome }) =>
      event('delegation-end', {
        agentName: context.key,
        agentId: context.subagent,
        outcome: params.outcome,
        text: context.result?.text ?? '',
        ...(context.error === undefined ? {} : { error: context.error }),
        ...(context.hookError === undefined ? {} : { hookError: context.hookError }),
      }),
    ),
    announceRejection: emit(({ context }) =>
      event('delegation-rejected', {
        agentName: context.key,
        agentId: context.subagent,
        reason: context.rejection ?? '',
      }),
    ),
    announceBail: emit(({ context }) =>
      event('delegation-bail', { agentName: context.key, agentId: context.subagent }),
    ),
    announceHookError: emit((_, params: ErrorData) => event('error', { error: params, willRetry: false })),
    announceHeld: emit({ type: 'held' }),
    announceReleased: emit({ type: 'released' }),
  },
})

export const delegationMachine = delegationSetup.createMachine({
  id: 'delegation',
  description: 'One delegation to a subagent: authorised, run, reviewed; exactly one typed outcome.',
  context: ({ input }) => ({
    ...input,
    prompt: input.args.prompt,
    addedInstructions: input.args.instructions == null ? [] : [input.args.instructions],
    maxSteps: undefined,
    history: [],
    result: undefined,
    childOutcome: 'succeeded',
    rejection: undefined,
    error: undefined,
    hookError: undefined,
    review: { bail: false },
  }),
  output: ({ event }) => event.output as DelegationOutput,
  initial: 'authorising',
  states: {
    authorising: {
      description: 'The user may modify or reject before the subagent costs anything.',
      initial: 'checkingDepth',
      on: { cancel: { target: 'cancelled', actions: 'abortEffects' } },
      states: {
        checkingDepth: {
          always: [
            { guard: 'isTooDeep', target: '#delegation.exhausted', actions: 'recordDepth' },
            { guard: 'hasStartHook', target: 'askingStartHook' },
            { target: 'choosingHistory' },
          ],
        },
        askingStartHook: {
          invoke: {
            src: 'hook',
            id: 'hook:onDelegationStart',
            input: ({ context }) => ({
              agent: context.profile.id,
              hook: 'onDelegationStart',
              scope: context.profile.hooks.onDelegationStart ?? 'agent',
              data: hookData(context),
            }),
            onDone: [
              {
                guard: { type: 'isRejected', params: ({ event }) => event.output as Start },
                target: '#delegation.rejected',
                actions: { type: 'recordRejection', params: ({ event }) => event.output as Start },
              },
              {
                target: 'choosingHistory',
                actions: { type: 'applyChanges', params: ({ event }) => event.output as Start },
              },
            ],
            onError: [
              {
                guard: 'ignoresHookErrors',
                target: 'choosingHistory',
                actions: [
                  { type: 'recordHookError', params: failure },
                  { type: 'announceHookError', params: failure },
                ],
              },
              { target: '#delegation.failed', actions: { type: 'recordHookFailure', params: failure } },
            ],
          },
        },
        choosingHistory: {
          always: [
            { guard: 'hasMessageFilter', target: 'filteringHistory' },
            { target: 'starting', actions: 'shareHistory' },
          ],
        },
        filteringHistory: {
          description:
            'The filter sees the modified prompt. Where it fails and that is ignored, nothing is shared.',
          invoke: {
            src: 'hook',
            id: 'hook:messageFilter',
            input: ({ context }) => ({
              agent: context.profile.id,
              hook: 'messageFilter',
              scope: context.profile.hooks.messageFilter ?? 'agent',
              data: { ...hookData(context), options: context.profile.delegation },
            }),
            onDone: {
              target: 'starting',
              actions: {
                type: 'shareFiltered',
                params: ({ event }) => event.output as readonly unknown[] as readonly Message[],
              },
            },
            onError: [
              {
                guard: 'ignoresHookErrors',
                target: 'starting',
                actions: [
                  { type: 'recordHookError', params: failure },
                  { type: 'announceHookError', params: failure },
                ],
              },
              { target: '#delegation.failed', actions: { type: 'recordHookFailure', params: failure } },
            ],
          },
        },
        starting: {
          always: [
            {
              guard: 'hasTimeout',
              target: '#delegation.running',
              actions: ['announceStart', 'startAgent', 'startDeadline'],
            },
            { target: '#delegation.running', actions: ['announceStart', 'startAgent'] },
          ],
        },
      },
    },
    running: {
      on: {
        'xstate.done.actor.timer:deadline': 'timingOut',
        'xstate.done.actor.*': { target: 'reviewing', actions: { type: 'recordResult', params: output } },
        'xstate.error.actor.*': { target: 'reviewing', actions: { type: 'recordCrash', params: failure } },
        'child.held': [
          { guard: 'hasTimeout', target: 'suspended', actions: 'pauseDeadline' },
          { target: 'suspended' },
        ],
        cancel: { target: 'cancelling', actions: { type: 'cancelAgent', params: ({ event }) => event } },
      },
    },
    suspended: {
      description: 'The subagent waits for a person; its timeout stands still.',
      entry: 'announceHeld',
      exit: 'announceReleased',
      on: {
        'xstate.done.actor.timer:deadline': 'timingOut', // it had fired before it could be paused
        'xstate.done.actor.*': { target: 'reviewing', actions: { type: 'recordResult', params: output } },
        'xstate.error.actor.*': { target: 'reviewing', actions: { type: 'recordCrash', params: failure } },
        'child.released': [
          { guard: 'hasTimeout', target: 'running', actions: 'unpauseDeadline' },
          { target: 'running' },
        ],
        cancel: { target: 'cancelling', actions: { type: 'cancelAgent', params: ({ event }) => event } },
      },
    },
    timingOut: {
      description: 'The subagent was told to cancel; it still owes its outcome.',
      entry: { type: 'cancelAgent', params: { cause: 'timeout', reason: 'The delegation timed out.' } },
      on: {
        'xstate.done.actor.*': { target: 'reviewing', actions: { type: 'recordTimeout', params: output } },
        'xstate.error.actor.*': { target: 'reviewing', actions: { type: 'recordCrash', params: failure } },
        cancel: 'cancelling',
      },
    },
    cancelling: {
      description: 'The subagent was told to cancel; it still owes its outcome.',
      entry: 'stopDeadline',
      on: {
        'xstate.done.actor.*': { target: 'cancelled', actions: { type: 'recordCancelled', params: output } },
        'xstate.error.actor.*': { target: 'cancelled', actions: { type: 'recordCrash', params: failure } },
      },
    },
    reviewing: {
      entry: 'stopDeadline',
      initial: 'choosing',
      on: { cancel: { target: 'cancelled', actions: 'abortEffects' } },
      states: {
        choosing: {
          always: [{ guard: 'hasCompleteHook', target: 'askingCompleteHook' }, { target: 'settling' }],
        },
        askingCompleteHook: {
          invoke: {
            src: 'hook',
            id: 'hook:onDelegationComplete',
            input: ({ context }) => ({
              agent: context.profile.id,
              hook: 'onDelegationComplete',
              scope: context.profile.hooks.onDelegationComplete ?? 'agent',
              data: {
                ...hookData(context),
                outcome: context.childOutcome,
                text: context.result?.text ?? '',
                error: context.error,
                usage: totalUsage(context.result?.usage ?? {}),
              },
            }),
            onDone: {
              target: 'settling',
              actions: { type: 'recordReview', params: ({ event }) => event.output as Review },
            },
            onError: [
              {
                guard: 'ignoresHookErrors',
                target: 'settling',
                actions: [
                  { type: 'recordHookError', params: failure },
                  { type: 'announceHookError', params: failure },
                ],
              },
              { target: 'settling', actions: { type: 'recordHookFailure', params: failure } },
            ],
          },
        },
        settling: {
          always: [
            { guard: 'isBailed', target: '#delegation.bailed' },
            { guard: { type: 'endsAs', params: { outcome: 'succeeded' } }, target: '#delegation.succeeded' },
            { guard: { type: 'endsAs', params: { outcome: 'exhausted' } }, target: '#delegation.exhausted' },
            { guard: { type: 'endsAs', params: { outcome: 'timedOut' } }, target: '#delegation.timedOut' },
            { guard: { type: 'endsAs', params: { outcome: 'cancelled' } }, target: '#delegation.cancelled' },
            { target: '#delegation.failed' },
          ],
        },
      },
    },
    succeeded: final('succeeded'),
    bailed: { ...final('bailed'), entry: [announceEnd('bailed'), 'announceBail'] },
    rejected: { ...final('rejected'), entry: 'announceRejection' },
    failed: final('failed'),
    timedOut: final('timedOut'),
    exhausted: final('exhausted'),
    cancelled: final('cancelled'),
  },
})

function announceEnd(outcome: DelegationOutcome) {
  return { type: 'announceEnd', params: { outcome } } as const
}

function final(outcome: DelegationOutcome) {
  return {
    type: 'final',
    entry: announceEnd(outcome),
    output: ({ context }: { context: DelegationContext }) => delegationOutput(context, outcome),
  } as const
}

function delegationOutcome(outcome: AgentOutput['outcome']): DelegationContext['childOutcome'] {
  switch (outcome) {
    case 'completed':
    case 'stopped':
    case 'bailed':
      return 'succeeded'
    case 'exhausted':
      return 'exhausted'
    case 'tripped':
    case 'failed':
      return 'failed'
    case 'cancelled':
      return 'cancelled'
  }
}

function agentRequest(context: DelegationContext): AgentRequest {
  const { args } = context
  const resourceId = args.resourceId ?? context.resourceId
  return {
    agent: context.subagent,
    task: context.prompt,
    history: context.history,
    addedInstructions: context.addedInstructions,
    ...(context.maxSteps === undefined ? {} : { maxSteps: context.maxSteps }),
    ...(args.maxSteps == null ? {} : { maxStepsLimit: args.maxSteps }),
    maxDepth: context.profile.maxDepth,
    depth: context.depth,
    path: `${context.path}/${context.subagent}`,
    runId: context.runId,
    threadId: args.threadId ?? context.path,
    ...(resourceId === undefined ? {} : { resourceId }),
  }
}

/** What both delegation hooks and the filter are shown. */
function hookData(context: DelegationContext): Record<string, unknown> {
  return {
    delegationId: context.path,
    agentName: context.key,
    agentId: context.subagent,
    prompt: context.prompt,
    args: context.args,
    iteration: context.iteration,
    task: context.task,
    messages: context.conversation,
  }
}

function delegationOutput(context: DelegationContext, outcome: DelegationOutcome): DelegationOutput {
  const { result, error, hookError, review } = context
  const text = result?.text ?? ''
  return {
    record: {
      id: context.path,
      agent: context.subagent,
      outcome,
      text,
      ...(error === undefined ? {} : { error }),
      ...(hookError === undefined ? {} : { hookError }),
      usage: result === undefined ? noUsage : totalUsage(result.usage),
    },
    content: review.resultText ?? content(context, outcome, text),
    ...(review.feedback === undefined ? {} : { feedback: review.feedback }),
    usage: result?.usage ?? {},
    ...(result?.message === undefined ? {} : { message: result.message }),
  }
}

/** The parent's model never sees what a subagent threw. */
function content(context: DelegationContext, outcome: DelegationOutcome, text: string): string {
  const agent = `The agent "${context.key}"`
  switch (outcome) {
    case 'succeeded':
    case 'bailed':
      return text
    case 'exhausted':
      return JSON.stringify({
        text,
        incomplete: `${agent} reached a limit (${context.result?.reason ?? 'depth'}) before it was done.`,
      })
    case 'rejected':
      return JSON.stringify({ error: `Delegation rejected: ${context.rejection}`, rejected: true })
    case 'timedOut':
      return JSON.stringify({ error: `${agent} timed out.` })
    case 'cancelled':
      return JSON.stringify({ error: `${agent} was cancelled.` })
    case 'failed':
      return JSON.stringify({ error: `${agent} failed.` })
  }
}
