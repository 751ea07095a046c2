/** What every agent's machine is given and ends with, whatever its pattern. */
import type { ActorLogic, Snapshot } from 'xstate'
import type { AppendLog } from '../../actors/values/append-log.ts'
import type { ResponseFormat } from '../../actors/chat-model.ts'
import type { Message } from '../../actors/message.ts'
import type { RouteProfile } from '../../actors/task-types.ts'
import type { Toolset } from '../../actors/toolset.ts'
import { ConfigurationError } from '../../errors.ts'
import type { CancelEvent } from './cancel.ts'
import type { Handoff, HandoffLine } from './handoff-chain.ts'
import type {
  HookTable,
  DelegationProfile,
  CompletionProfile,
  MemoryProfile,
  BackgroundProfile,
  CapsProfile,
  HandoffProfile,
  DynamicPart,
  ProcessorsProfile,
} from './profile.ts'
import type { AgentOutput, AgentParts } from './records.ts'

export type {
  HookTable,
  DelegationProfile,
  CompletionProfile,
  MemoryProfile,
  BackgroundProfile,
  CapsProfile,
  HandoffProfile,
  DynamicPart,
  ProcessorsProfile,
} from './profile.ts'
export type {
  Outcome,
  ToolResultRecord,
  StepRecord,
  DelegationOutcome,
  DelegationRecord,
  ScorerResult,
  ScoringRecord,
  DecisionRecord,
  AgentOutput,
  AgentParts,
} from './records.ts'

/** What a machine knows of its agent: resolved options, no functions of the user's. */
export interface AgentProfile {
  readonly id: string
  /** Provider and model id. */
  readonly model: string
  readonly instructions: string
  /** What it is offered now: of its groups, and in its state. */
  readonly toolset: Toolset
  /** Which of these are made for each run; until `configure` has made them, they are blank. */
  readonly dynamic: readonly DynamicPart[]
  /** Of which groups it is offered tools; `undefined`: nobody has named any, and the default group is meant. */
  readonly toolGroups: readonly string[] | undefined
  /** The state that it is in: tools that succeed move it. */
  readonly toolState: string
  readonly maxSteps: number
  readonly maxDepth: number
  readonly toolCallConcurrency: number
  /** How many calls of one reply are carried out; `undefined`: all, in a run that began before there was a cap. */
  readonly maxToolCallsPerStep: number | undefined
  readonly retries: number
  readonly onExhausted: 'finalTurn' | 'stop'
  readonly bailStrategy: 'first' | 'last'
  readonly scoreEvery: 'answer' | 'iteration'
  readonly hookErrors: 'fail' | 'ignore'
  /** Milliseconds that a function of the user's may take. */
  readonly hookTimeout: number
  /** Milliseconds that a call of the model may take; `undefined`: what its driver gives it. */
  readonly modelTimeout: number | undefined
  readonly hooks: HookTable
  readonly delegation: DelegationProfile
  readonly completion: CompletionProfile | undefined
  /** By the keys of subagents that are run in the background. */
  readonly background: Readonly<Record<string, BackgroundProfile>>
  /** What caps the work of its pattern, by the names of the options. */
  readonly caps: CapsProfile
  /** Of a meta-router: what it chooses from. */
  readonly route: RouteProfile | undefined
  /** Of a planner: whether the result of each step is looked at before the plan goes on. */
  readonly reviewSteps: boolean
  /** How often the same call may be made in a row; `undefined`: any number of times. */
  readonly maxRepeatedCalls: number | undefined
  /** Of an agent that may hand its conversation to others. */
  readonly handoffs?: HandoffProfile | undefined
  /** `undefined`: the agent remembers nothing. */
  readonly memory: MemoryProfile | undefined
  readonly processors: ProcessorsProfile
  /** How often a model is asked again within one step after a processor has refused its reply. */
  readonly maxProcessorRetries: number
  /** The shape of the answer; `undefined`: text. */
  readonly responseFormat: ResponseFormat | undefined
}

/** A request to run an agent: JSON, so that it may travel. */
export interface AgentRequest {
  readonly agent: string
  readonly task: string
  /** What the agent is shown of the conversation before its task. */
  readonly history: readonly Message[]
  /** How the domain goes about such a task: a meta-router's, for the whole tree below it. */
  readonly framing?: string
  /** Appended to the agent's own instructions. */
  readonly addedInstructions: readonly string[]
  /** Set by a delegation hook: takes the place of the agent's own cap. */
  readonly maxSteps?: number
  /** Asked for by a model: can only lower the cap. */
  readonly maxStepsLimit?: number
  /** The delegating agent's: stands over the whole tree below it. */
  readonly maxDepth?: number
  /** The delegating agent's, narrowed for this delegation: neither the agent nor anybody below it may have more. */
  readonly toolGroups?: readonly string[]
  readonly depth: number
  readonly path: string
  readonly runId: string
  readonly threadId?: string
  readonly resourceId?: string
  /** Of an agent that another has handed its conversation to: `history` holds it whole, the task included. */
  readonly line?: HandoffLine
}

export interface AgentInput {
  readonly profile: AgentProfile
  readonly runId: string
  /** Ids of the actors from the root agent to this one, joined with "/". */
  readonly path: string
  readonly task: string
  readonly messages: AppendLog<Message>
  /** What `messages` were made of, besides the profile and the task. */
  readonly opening: Pick<AgentRequest, 'history' | 'framing' | 'addedInstructions' | 'line'>
  /** 0 for the root agent. */
  readonly depth: number
  readonly maxSteps: number
  readonly threadId: string | undefined
  readonly resourceId: string | undefined
}

/** What an agent ends with that has handed its conversation to another. */
export interface HandedOff extends AgentParts {
  readonly outcome: 'handedOff'
  readonly handoff: Handoff
}

/** What every agent ends with. */
export type AgentReport = AgentOutput | HandedOff

export type AgentOutcome = AgentReport['outcome']

export type AgentLogic = ActorLogic<Snapshot<AgentReport>, CancelEvent, AgentRequest>

/** Stands for "any agent" in a machine that spawns agents; the runtime provides the logic that dispatches on `agent`. */
export const agentSource: AgentLogic = {
  getInitialSnapshot: (_scope, input) => {
    throw new ConfigurationError(
      `No runtime provides the agent "${input.agent}": its machine was started outside of a run.`,
    )
  },
  transition: (snapshot) => snapshot,
  getPersistedSnapshot: (snapshot) => snapshot,
}

/** Events by which the runtime relays that a child waits for a person, or no longer does. */
export type ChildHeldEvent = { readonly type: 'child.held' | 'child.released'; readonly child: string }
