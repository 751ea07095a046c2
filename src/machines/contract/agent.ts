/** Input and output of every agent machine, for all patterns. */
import type { ActorLogic, Snapshot } from 'xstate'
import type { AppendLog } from '../../actors/values/append-log.ts'
import type { FinishReason, ResponseFormat } from '../../actors/chat-model.ts'
import type { HookName } from '../../actors/effect-kinds.ts'
import type { JsonValue } from '../../actors/values/json.ts'
import type { Message } from '../../actors/message.ts'
import type { RouteProfile } from '../../actors/task-types.ts'
import type { Toolset } from '../../actors/toolset.ts'
import type { Usage, UsageByAgent } from '../../actors/usage.ts'
import { ConfigurationError, type ErrorData } from '../../errors.ts'
import type { CancelEvent } from './cancel.ts'
import type { Handoff, HandoffLine, HandoffRecord } from './handoff-chain.ts'
import type { PlanRecord } from './plan.ts'

export type Outcome = 'completed' | 'bailed' | 'exhausted' | 'stopped' | 'tripped' | 'failed' | 'cancelled'

/** The scope of each hook: a function of the agent's definition, or one given with the options of this run. */
export type HookTable = Readonly<Partial<Record<HookName, 'agent' | 'run'>>>

export interface DelegationProfile {
  readonly includeConversationHistory: boolean
  readonly filterInternalMessages: boolean
  readonly maxMessages: number
  readonly includeSubAgentToolResultsInModelContext: boolean
  /** Milliseconds; `undefined`: no timeout. */
  readonly timeout: number | undefined
}

export interface CompletionProfile {
  /** `timeout`: in milliseconds; absent: the agent's `hookTimeout`. */
  readonly scorers: readonly { readonly id: string; readonly threshold: number; readonly timeout?: number }[]
  /** Whether the definition or the options of the run gave the scorers. */
  readonly scope: 'agent' | 'run'
  readonly strategy: 'all' | 'any'
  readonly parallel: boolean
  readonly continueOnFail: boolean
  readonly feedbackToLLM: boolean
  /** Milliseconds, shared by all scorers. */
  readonly timeout: number
}

export interface MemoryProfile {
  /** How many messages of its thread the opening prompt holds. */
  readonly lastMessages: number
  /** Absent: the agent neither sees nor writes a note on the resource. */
  readonly workingMemory?: { readonly template?: string }
}

/** How the delegations to one subagent are run in the background. */
export interface BackgroundProfile {
  /** Milliseconds; `undefined`: as other delegations. */
  readonly timeout: number | undefined
  /** How many at a time. */
  readonly concurrency: number
}

/** The caps of all patterns: each machine reads its own. */
export interface CapsProfile {
  readonly maxIterations: number
  readonly maxReplans: number
  readonly maxPlanSteps: number
  readonly maxGoals: number
  readonly maxRounds: number
  /** Milliseconds. */
  readonly goalTimeout: number
  readonly maxCritiques: number
  readonly rounds: number
  /** Absent: all participants but one. */
  readonly quorum?: number
}

/** How an agent hands its conversation to others. */
export interface HandoffProfile {
  /** How many handoffs may follow one another; `undefined`: as many as the previous agent allows. */
  readonly max: number | undefined
  /** Whether a user function filters the messages that go with it. */
  readonly isFiltered: boolean
}

/** The parts of an agent that may depend on the run. */
export type DynamicPart = 'instructions' | 'model' | 'tools' | 'workflows' | 'agents'

/** The ids of an agent's processors, in the order in which they are called. */
export interface ProcessorsProfile {
  readonly input: readonly string[]
  /** Processors of whole replies. */
  readonly output: readonly string[]
  /** Processors of replies as they are streamed. */
  readonly stream: readonly string[]
}

/** The profile of an agent: its resolved options as data, without user functions. */
export interface AgentProfile {
  readonly id: string
  /** Provider and model id. */
  readonly model: string
  readonly instructions: string
  /** The tools on offer now, by its groups and its tool state. */
  readonly toolset: Toolset
  /** The parts computed for each run; blank until `configure` has computed them. */
  readonly dynamic: readonly DynamicPart[]
  /** The groups whose tools are on offer; `undefined`: no groups were named, so the default group is. */
  readonly toolGroups: readonly string[] | undefined
  /** The tool state of the agent: tools that succeed change it. */
  readonly toolState: string
  readonly maxSteps: number
  readonly maxDepth: number
  readonly toolCallConcurrency: number
  /** How many calls of one reply are carried out; `undefined`: all, in a run that began before this cap existed. */
  readonly maxToolCallsPerStep: number | undefined
  readonly retries: number
  readonly onExhausted: 'finalTurn' | 'stop'
  readonly bailStrategy: 'first' | 'last'
  readonly scoreEvery: 'answer' | 'iteration'
  readonly hookErrors: 'fail' | 'ignore'
  /** Milliseconds that a user function may take. */
  readonly hookTimeout: number
  /** Milliseconds that a call of the model may take; `undefined`: the timeout of its driver. */
  readonly modelTimeout: number | undefined
  readonly hooks: HookTable
  readonly delegation: DelegationProfile
  readonly completion: CompletionProfile | undefined
  /** By the keys of subagents that are run in the background. */
  readonly background: Readonly<Record<string, BackgroundProfile>>
  /** The caps of its pattern, by the names of the options. */
  readonly caps: CapsProfile
  /** Of a meta-router: the task types and patterns to choose from. */
  readonly route: RouteProfile | undefined
  /** Of a planner: whether the result of each step is reviewed before the plan goes on. */
  readonly reviewSteps: boolean
  /** How often the same call may be made in a row; `undefined`: any number of times. */
  readonly maxRepeatedCalls: number | undefined
  /** Of an agent that may hand its conversation to others. */
  readonly handoffs?: HandoffProfile | undefined
  /** `undefined`: the agent remembers nothing. */
  readonly memory: MemoryProfile | undefined
  readonly processors: ProcessorsProfile
  /** How often the model is called again within one step after a processor has refused its reply. */
  readonly maxProcessorRetries: number
  /** The shape of the answer; `undefined`: text. */
  readonly responseFormat: ResponseFormat | undefined
}

/** A request to run an agent, as JSON: it may be sent to another process. */
export interface AgentRequest {
  readonly agent: string
  readonly task: string
  /** The messages of the conversation before the task. */
  readonly history: readonly Message[]
  /** Instructions that a meta-router adds for the whole tree below it. */
  readonly framing?: string
  /** Appended to the agent's own instructions. */
  readonly addedInstructions: readonly string[]
  /** Set by a delegation hook: replaces the agent's own cap. */
  readonly maxSteps?: number
  /** Requested by a model: can only lower the cap. */
  readonly maxStepsLimit?: number
  /** The delegating agent's cap, for the whole tree below it. */
  readonly maxDepth?: number
  /**
   * The delegating agent's groups, narrowed for this delegation: an upper bound for the agent and all agents below
   * it.
   */
  readonly toolGroups?: readonly string[]
  readonly depth: number
  readonly path: string
  readonly runId: string
  readonly threadId?: string
  readonly resourceId?: string
  /** Set after a handoff: `history` holds the whole conversation, the task included. */
  readonly line?: HandoffLine
}

export interface AgentInput {
  readonly profile: AgentProfile
  readonly runId: string
  /** Ids of the actors from the root agent to this one, joined with "/". */
  readonly path: string
  readonly task: string
  readonly messages: AppendLog<Message>
  /** The sources of `messages`, besides the profile and the task. */
  readonly opening: Pick<AgentRequest, 'history' | 'framing' | 'addedInstructions' | 'line'>
  /** 0 for the root agent. */
  readonly depth: number
  readonly maxSteps: number
  readonly threadId: string | undefined
  readonly resourceId: string | undefined
}

export interface ToolCallRecord {
  /** Unique in the run. */
  readonly id: string
  readonly name: string
  readonly args: JsonValue
}

export interface ToolResultRecord {
  /** As the `id` of the call. */
  readonly id: string
  readonly name: string
  readonly outcome: string
  readonly value?: JsonValue
  readonly error?: ErrorData
}

/** One step: a model call and the tool calls that it led to. */
export interface StepRecord {
  /** From 1. */
  readonly step: number
  readonly text: string
  readonly toolCalls: readonly ToolCallRecord[]
  readonly toolResults: readonly ToolResultRecord[]
  readonly finishReason: FinishReason
  readonly usage: Usage
}

export type DelegationOutcome =
  'succeeded' | 'bailed' | 'rejected' | 'failed' | 'timedOut' | 'exhausted' | 'cancelled'

export interface DelegationRecord {
  /** The path of the delegation's actor. */
  readonly id: string
  /** The subagent's id. */
  readonly agent: string
  readonly outcome: DelegationOutcome
  readonly text: string
  readonly error?: ErrorData
  readonly hookError?: ErrorData
  readonly usage: Usage
  /** After a handoff: the agent that the outcome belongs to. */
  readonly by?: string
  /** The handoffs, in order. */
  readonly handoffs?: readonly HandoffRecord[]
}

export interface ScorerResult {
  readonly id: string
  readonly score?: number
  readonly reason?: string
  readonly passed: boolean
  /** Set when the scorer threw, timed out or answered with something that is not a score. */
  readonly error?: ErrorData
}

export interface ScoringRecord {
  readonly iteration: number
  readonly outcome: 'passed' | 'failed' | 'errored'
  readonly results: readonly ScorerResult[]
}

/** A choice of a meta-router: the candidates, the choice, and the reason. */
export interface DecisionRecord {
  /** The subject of the decision, for example `task-type`. */
  readonly subject: string
  readonly candidates: readonly string[]
  readonly choice: string
  /**
   * How it was settled: `model`, `only candidate`, `fallback`, `named by the request` or `goes on with a
   * conversation`.
   */
  readonly criterion: string
  /** The model's reason, where the model chose. */
  readonly rationale?: string
  /** Why there is no valid choice of the model. */
  readonly fallback?: string
  /**
   * Items of the live configuration that could not be used, and unknown patterns that they name, with the reasons.
   */
  readonly ignored?: readonly string[]
}

export interface AgentOutput {
  readonly outcome: Outcome
  /** The final answer alone. */
  readonly text: string
  /** The answer as data, where a response format was requested. */
  readonly object?: JsonValue
  /** Why the run ended, for `exhausted`, `stopped`, `tripped` and `cancelled`. */
  readonly reason?: string
  readonly error?: ErrorData
  /** The agent whose bail ended the run, else the last agent of a chain of handoffs. */
  readonly by?: string
  /** The handoffs, in order. */
  readonly handoffs?: readonly HandoffRecord[]
  /** The id of the message that is the answer. */
  readonly message?: string
  readonly delegations: readonly DelegationRecord[]
  readonly scores: readonly ScoringRecord[]
  readonly steps: readonly StepRecord[]
  /** Of a meta-router: its choices. */
  readonly decisions?: readonly DecisionRecord[]
  readonly usage: UsageByAgent
  /** Of a planner: its plan, if it has made one. */
  readonly plan?: PlanRecord
  /** The tool state at the end; absent if it was never set. */
  readonly toolState?: string
}

/** An output without its outcome: of an agent at work, or of one that has ended. */
export type AgentParts = Omit<AgentOutput, 'outcome'>

/** The output of an agent that has handed its conversation to another agent. */
export interface HandedOff extends AgentParts {
  readonly outcome: 'handedOff'
  readonly handoff: Handoff
}

/** The output of every agent machine. */
export type AgentReport = AgentOutput | HandedOff

export type AgentOutcome = AgentReport['outcome']

export type AgentLogic = ActorLogic<Snapshot<AgentReport>, CancelEvent, AgentRequest>

/**
 * A placeholder for any agent, in a machine that spawns agents; the runtime provides the logic that dispatches on
 * `agent`.
 */
export const agentSource: AgentLogic = {
  getInitialSnapshot: (_scope, input) => {
    throw new ConfigurationError(
      `No runtime provides the agent "${input.agent}": its machine was started outside of a run.`,
    )
  },
  transition: (snapshot) => snapshot,
  getPersistedSnapshot: (snapshot) => snapshot,
}

/** The runtime relays these events when a child begins or ceases to wait for a signal. */
export type ChildHeldEvent = { readonly type: 'child.held' | 'child.released'; readonly child: string }
