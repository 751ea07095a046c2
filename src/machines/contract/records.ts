/** The records of an agent's work, and its outcome. */
import type { FinishReason } from '../../actors/chat-model.ts'
import type { UsageByAgent, Usage } from '../../actors/usage.ts'
import type { JsonValue } from '../../actors/values/json.ts'
import type { ErrorData } from '../../errors.ts'
import type { PlanRecord } from './plan.ts'

export type Outcome = 'completed' | 'bailed' | 'exhausted' | 'stopped' | 'tripped' | 'failed' | 'cancelled'

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

export interface HandoffRecord {
  /** The id of the agent that let go of the conversation. */
  readonly from: string
  /** The id of the agent that goes on with it. */
  readonly to: string
  /** The model's words. */
  readonly reason?: string
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
