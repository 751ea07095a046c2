/** What every agent's machine is given and ends with, whatever its pattern. */
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

/** Whose function a hook is: the definition's, or one given with the options of this run. */
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
  /** Whose scorers they are. */
  readonly scope: 'agent' | 'run'
  readonly strategy: 'all' | 'any'
  readonly parallel: boolean
  readonly continueOnFail: boolean
  readonly feedbackToLLM: boolean
  /** Milliseconds, shared by all scorers. */
  readonly timeout: number
}

export interface MemoryProfile {
  /** How many messages of its thread the agent is shown. */
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

/** The caps of all patterns: each machine looks at its own. */
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
  /** How many handoffs may follow one another; `undefined`: as many as the agent before allows. */
  readonly max: number | undefined
  /** Whether a function of the user's chooses what goes with it. */
  readonly isFiltered: boolean
}

/** The parts of an agent that may depend on the run. */
export type DynamicPart = 'instructions' | 'model' | 'tools' | 'workflows' | 'agents'

/** The ids of an agent's processors, in the order in which they are asked. */
export interface ProcessorsProfile {
  readonly input: readonly string[]
  /** Those that look at whole replies. */
  readonly output: readonly string[]
  /** Those that look at replies as they come. */
  readonly stream: readonly string[]
}

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
  /** The agent whose outcome it is, where the subagent has handed its conversation on. */
  readonly by?: string
  /** Who handed the conversation to whom, in this order. */
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

/** A choice within what there was to choose from: what was on offer, what was taken, and why. */
export interface DecisionRecord {
  /** What was decided, for example `task-type`. */
  readonly subject: string
  readonly candidates: readonly string[]
  readonly choice: string
  /**
   * What settled it: `model`, `only candidate`, `fallback`, `named by the request` or `goes on with a conversation`.
   */
  readonly criterion: string
  /** The model's words, where it chose. */
  readonly rationale?: string
  /** Why the model's choice could not be had. */
  readonly fallback?: string
  /** What of the live configuration could not be used, and why: items, and patterns that they name. */
  readonly ignored?: readonly string[]
}

export interface AgentOutput {
  readonly outcome: Outcome
  /** The final answer alone. */
  readonly text: string
  /** The answer as data, where a shape was asked for. */
  readonly object?: JsonValue
  /** Why the run ended, for `exhausted`, `stopped`, `tripped` and `cancelled`. */
  readonly reason?: string
  readonly error?: ErrorData
  /** The agent whose bail ended the run, else the last one that the conversation was handed to. */
  readonly by?: string
  /** Who handed the conversation to whom, in this order. */
  readonly handoffs?: readonly HandoffRecord[]
  /** The id of the message that is the answer. */
  readonly message?: string
  readonly delegations: readonly DelegationRecord[]
  readonly scores: readonly ScoringRecord[]
  readonly steps: readonly StepRecord[]
  /** Of a pattern that chooses. */
  readonly decisions?: readonly DecisionRecord[]
  readonly usage: UsageByAgent
  /** Of a planner that has made one. */
  readonly plan?: PlanRecord
  /** The state that it was in at the end, unless it was never in any. */
  readonly toolState?: string
}

/** What an agent has done so far, or in all. */
export type AgentParts = Omit<AgentOutput, 'outcome'>

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
