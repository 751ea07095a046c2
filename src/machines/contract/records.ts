/** The records of an agent's work, and its outcome. */
import type { FinishReason, ProviderCall } from '../../actors/chat-model.ts'
import type { FilePart } from '../../actors/content/content.ts'
import type { Source } from '../../actors/content/source.ts'
import type { UsageByAgent, Usage } from '../../actors/usage.ts'
import type { JsonValue } from '../../actors/values/json.ts'
import type { ErrorData } from '../../errors.ts'
import type { Saying } from './sayings.ts'
import type { PlanRecord } from './plan.ts'

/** How a run ended. */
export type Outcome = 'completed' | 'bailed' | 'exhausted' | 'stopped' | 'tripped' | 'failed' | 'cancelled'

/** The cap that an `exhausted` agent has reached. */
export type ExhaustedReason =
  | 'maxSteps'
  | 'maxIterations'
  | 'maxReplans'
  | 'budget'
  | 'loop'
  | 'completion'
  | 'length'
  | 'handoffs'
  | (string & {})

/** The function of the user that `stopped` an agent. */
export type StoppedReason = 'stopWhen' | 'onIterationComplete' | (string & {})

/** A call of a tool, or a delegation, that a model asked for. */
export interface ToolCallRecord {
  /** Unique in the run. */
  readonly id: string
  readonly name: string
  /** Those that it had in the end. */
  readonly args: JsonValue
  /** A person has changed the arguments. */
  readonly changed?: true
}

/** The result of a call, or of a delegation, in a step. */
export interface ToolResultRecord {
  /** As the `id` of the call. */
  readonly id: string
  readonly name: string
  readonly outcome: string
  readonly value?: JsonValue
  readonly error?: ErrorData
  /** Of a delegation, in a result: the results of the subagent's own calls, in order. */
  readonly toolResults?: readonly ToolResultRecord[]
  /** Of a delegation, in a result: the thread that the subagent worked in. Absent where it never ran. */
  readonly threadId?: string
  /** Of a delegation, in a result: why it was rejected, or why the subagent ended. */
  readonly reason?: string
}

/** The results of tools, by the names that the model sees. */
export type ToolResults = Readonly<Record<string, JsonValue>>

/** A result in a step: of a tool that is known by its name, of a delegation or a handoff, or of a call that failed. */
export type ToolResultOf<Results extends ToolResults> = string extends keyof Results
  ? ToolResultRecord
  : | { [Name in keyof Results & string]: ResultOfTool<Name, Results[Name]> }[keyof Results & string]
    | ResultOfTool<'update-working-memory', JsonValue>
    | ResultOfAgent
    | FailedCall<string>

/** The result of one tool. */
export type ResultOfTool<Name extends string, Value extends JsonValue> =
  SucceededCall<Name, Value> | FailedCall<Name> | BackgroundCall<Name>

/** A call that has succeeded. */
export interface SucceededCall<Name extends string, Value extends JsonValue> extends ToolResultRecord {
  readonly name: Name
  readonly outcome: 'succeeded'
  readonly value: Value
}

/** A call that has no value. */
export interface FailedCall<Name extends string> extends ToolResultRecord {
  readonly name: Name
  readonly outcome: 'failed' | 'denied' | 'cancelled'
  readonly value?: never
}

/** A call that has begun in the background: its result is an event, and a notice for the model. */
export interface BackgroundCall<Name extends string> extends ToolResultRecord {
  readonly name: Name
  readonly outcome: 'background'
  readonly value?: never
}

/** The result of a delegation, or of a handoff. */
export interface ResultOfAgent extends ToolResultRecord {
  readonly name: `agent-${string}` | `transfer-to-${string}`
}

/** One step: a model call and the tool calls that it led to. */
export interface StepRecord<Result extends ToolResultRecord = ToolResultRecord> {
  /** From 1. */
  readonly step: number
  readonly text: string
  /** What the reply cites; absent without any. */
  readonly sources?: readonly Source[]
  readonly toolCalls: readonly ToolCallRecord[]
  /** Calls that the provider of the model has executed itself; absent without any. */
  readonly providerCalls?: readonly ProviderCall[]
  readonly toolResults: readonly Result[]
  readonly finishReason: FinishReason
  readonly usage: Usage
  /** Of an agent with models in a row: the one that has answered, by provider and model id. */
  readonly model?: string
}

/** One handoff of a conversation. */
export interface HandoffRecord {
  /** The id of the agent that let go of the conversation. */
  readonly from: string
  /** The id of the agent that goes on with it. */
  readonly to: string
  /** The model's words. */
  readonly reason?: string
  /** The input that the model gave, where the handoff has an `inputSchema`. */
  readonly input?: JsonValue
  /** No model asked for it: the thread was with `to` already, and `from` has `keepHandoff`. */
  readonly resumed?: true
}

/** How a delegation ended. */
export type DelegationOutcome =
  'succeeded' | 'bailed' | 'rejected' | 'failed' | 'timedOut' | 'exhausted' | 'cancelled'

/** How the subagent of a delegation ended. */
export type SubagentOutcome = Exclude<DelegationOutcome, 'bailed' | 'rejected'>

/** One delegation: its outcome, its answer, and the work of its subagent. */
export interface DelegationRecord {
  /** The path of the delegation's actor. */
  readonly id: string
  /** The subagent's id. */
  readonly agent: string
  readonly outcome: DelegationOutcome
  /** How the subagent ended, where its delegation ended otherwise: by a bail, a hook, a cancel or a limit. */
  readonly subagentOutcome?: SubagentOutcome
  readonly text: string
  /** The files of its answer; absent without any. */
  readonly files?: readonly FilePart[]
  readonly error?: ErrorData
  readonly hookError?: ErrorData
  /** Under `keepPartial` of the subagent: the text so far of the answer that its end has cut. Absent without any. */
  readonly partialText?: string
  readonly usage: Usage
  /** The results of the subagent's own calls, in order; those of its delegations have their own, nested. */
  readonly toolResults: readonly ToolResultRecord[]
  /** The thread that the subagent worked in, as `troupe.memory` knows it. Absent where it never ran. */
  readonly threadId?: string
  /** Why it was rejected, or why the subagent ended, for example `maxSteps`. */
  readonly reason?: string
  /** After a handoff: the agent that the outcome belongs to. */
  readonly by?: string
  /** The handoffs, in order. */
  readonly handoffs?: readonly HandoffRecord[]
}

/** The result of one scorer. */
export interface ScorerResult {
  readonly id: string
  readonly score?: number
  readonly reason?: string
  readonly passed: boolean
  /** Set when the scorer threw, timed out or answered with something that is not a score. */
  readonly error?: ErrorData
}

/** The results of all scorers on one iteration. */
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

/** What an agent has done by its end. */
export interface AgentOutput {
  readonly outcome: Outcome
  /** The final answer alone. */
  readonly text: string
  /** The files of the final answer; absent without any. */
  readonly files?: readonly FilePart[]
  /** The files that its tools have made, and the tools of the agents below it; absent without any. */
  readonly made?: readonly FilePart[]
  /** The answer as data, where a response format was requested. */
  readonly object?: JsonValue
  /** Why the run ended, for `exhausted`, `stopped`, `tripped` and `cancelled`. */
  readonly reason?: string
  readonly error?: ErrorData
  /** Under `keepPartial`: the text so far of the answer that the end has cut. Absent without any. */
  readonly partialText?: string
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
  /** Messages of people that the agent took and its model has not read; absent without any. */
  readonly unheard?: readonly Saying[]
  /** The tool state at the end; absent if it was never set. */
  readonly toolState?: string
}

/** An output without its outcome: of an agent at work, or of one that has ended. */
export type AgentParts = Omit<AgentOutput, 'outcome'>
