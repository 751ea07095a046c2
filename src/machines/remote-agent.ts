/**
 * A proxy for a subagent that runs in another actor system. Its parent treats it as that agent: it forwards a cancel
 * and the end of the time of the run, reports when the agent is held, and ends with the output of the agent.
 */
import { assign, emit, setup } from 'xstate'
import { effect } from '../actors/effects/effect.ts'
import type { EffectInput } from '../actors/effects/effect-kinds.ts'
import { once } from '../actors/values/once.ts'
import { toErrorData, type ErrorData } from '../errors.ts'
import type { AgentOutput } from './contract/records.ts'
import type { AgentRequest } from './contract/agent.ts'
import type { BudgetSpentEvent, CancelEvent } from './contract/cancel.ts'
import { spentError } from './contract/cancel.ts'
import type { MachineEvent } from './contract/events.ts'
import { failure, output } from './shared/params.ts'

interface RemoteAgentContext {
  readonly request: AgentRequest
  readonly cancel: CancelEvent
  /** The error of the run whose time is up. */
  readonly spent: ErrorData | undefined
  readonly output: AgentOutput
}

/** The runtime sends `agent.held` and `agent.released` when the process of the agent reports them. */
type RemoteAgentEvent =
  CancelEvent | BudgetSpentEvent | { readonly type: 'agent.held' } | { readonly type: 'agent.released' }

const nothing: AgentOutput = {
  outcome: 'failed',
  text: '',
  delegations: [],
  scores: [],
  steps: [],
  usage: {},
}

const remoteAgentSetup = setup({
  types: {
    input: {} as AgentRequest,
    context: {} as RemoteAgentContext,
    events: {} as RemoteAgentEvent,
    output: {} as AgentOutput,
    emitted: {} as MachineEvent,
  },
  actors: { agent: effect('agent') },
  actions: {
    recordCancel: assign((_, params: CancelEvent) => ({ cancel: params })),
    recordSpent: assign((_, params: ErrorData) => ({ spent: params })),
    recordOutput: assign((_, params: unknown) => ({ output: params as AgentOutput })),
    recordLoss: assign((_, params: ErrorData) => ({ output: { ...nothing, error: params } })),
    announceHeld: emit({ type: 'held' }),
    announceReleased: emit({ type: 'released' }),
  },
})

const cancelled = {
  target: 'cancelling',
  actions: { type: 'recordCancel', params: ({ event }: { event: CancelEvent }) => event },
} as const

const outOfTime = {
  target: 'expiring',
  actions: { type: 'recordSpent', params: spentError },
} as const

export const remoteAgentMachine = /* @__PURE__ */ once(() =>
  remoteAgentSetup.createMachine({
    id: 'remote-agent',
    description: 'A proxy for a subagent that runs elsewhere.',
    context: ({ input }) => ({
      request: input,
      cancel: { type: 'cancel', cause: 'cancel' },
      spent: undefined,
      output: nothing,
    }),
    output: ({ context }) => context.output,
    invoke: {
      src: 'agent',
      id: 'agent:run',
      input: ({ context }) => ({ operation: 'run', request: { ...context.request } }),
      onDone: { target: '.reported', actions: { type: 'recordOutput', params: output } },
      onError: { target: '.failed', actions: { type: 'recordLoss', params: failure } },
    },
    initial: 'working',
    states: {
      working: {
        description: 'The agent is at work.',
        on: { 'agent.held': 'held', cancel: cancelled, 'budget.spent': outOfTime },
      },
      held: {
        description: 'The agent waits for a signal.',
        entry: 'announceHeld',
        exit: 'announceReleased',
        on: { 'agent.released': 'working', cancel: cancelled, 'budget.spent': outOfTime },
      },
      expiring: {
        description: 'The agent is being told that the time of the run is up.',
        invoke: {
          src: 'agent',
          id: 'agent:expire',
          input: ({ context }) => expireInput(context),
          onDone: 'expired',
          onError: 'expired',
        },
        on: { cancel: cancelled },
      },
      expired: {
        description: 'The agent was told that the time of the run is up. It still reports its outcome.',
        on: { cancel: cancelled },
      },
      cancelling: {
        description: 'A cancel is being sent to the agent.',
        invoke: {
          src: 'agent',
          id: 'agent:cancel',
          input: ({ context }) => cancelInput(context),
          onDone: 'cancelSent',
          onError: 'cancelSent',
        },
      },
      cancelSent: { description: 'The cancel was sent. The agent still reports its outcome.' },
      reported: { type: 'final', output: ({ context }) => context.output },
      failed: { type: 'final', output: ({ context }) => context.output },
    },
  }),
)

function expireInput({ request: { agent, path }, spent }: RemoteAgentContext): EffectInput<'agent'> {
  return { operation: 'expire', agent, path, error: toErrorData(spent) }
}

function cancelInput({ request, cancel }: RemoteAgentContext): EffectInput<'agent'> {
  const { cause, reason } = cancel
  const { agent, path } = request
  return { operation: 'cancel', agent, path, cause, ...(reason === undefined ? {} : { reason }) }
}
