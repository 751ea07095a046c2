/** The reports of children to the agent that started them. */
import type { AppendLog } from '../../actors/values/append-log.ts'
import type { CallVerdicts, Message, UserMessage } from '../../actors/message.ts'
import type { Content, FilePart } from '../../actors/content/content.ts'
import type { JsonValue } from '../../actors/values/json.ts'
import type { Usage, UsageByAgent } from '../../actors/usage.ts'
import type { ErrorData } from '../../errors.ts'
import type { DelegationRecord, ScoringRecord } from './records.ts'

/** The report of a tool call to the agent whose model made it. */
export interface ToolCallOutput {
  readonly kind: 'tool'
  readonly outcome: 'succeeded' | 'failed' | 'denied' | 'cancelled'
  readonly value?: JsonValue
  readonly error?: ErrorData
  /** The result as the model reads it. */
  readonly content: Content
  /** The files that the tool has made; absent without any. */
  readonly made?: readonly FilePart[]
  /** The arguments, where a person has changed them. */
  readonly args?: JsonValue
}

/** The report of a delegation to the agent that delegates. */
export interface DelegationOutput {
  readonly kind: 'delegation'
  readonly record: DelegationRecord
  /** The result as the parent's model reads it. */
  readonly content: Content
  /** The files that tools have made, of the subagent and of those below it; absent without any. */
  readonly made?: readonly FilePart[]
  /** For the very next prompt of the parent. */
  readonly feedback?: string
  readonly usage: UsageByAgent
  /** The id of the message that is the subagent's answer. */
  readonly message?: string
  /** The subagent's answer as data, unless a hook has put another in its place. */
  readonly object?: JsonValue
  /** Why the delegation was rejected, or why its subagent ended. */
  readonly reason?: string
  /** The arguments, where a person has changed them. */
  readonly args?: JsonValue
}

/** The report of a child in the background. */
export type BackgroundOutput = ToolCallOutput | DelegationOutput

/** The report of the scorers of an answer. */
export interface CompletionOutput extends ScoringRecord {
  readonly kind: 'completion'
  /** For the model: the scorers that were not met, and why. */
  readonly feedback: string
}

export interface DecisionOutput {
  readonly kind: 'decision'
  readonly decision: 'made' | 'failed' | 'cancelled'
  readonly value?: JsonValue
  /** The verdicts on the calls that the decision asks for, where they are on record. */
  readonly verdicts?: CallVerdicts
  readonly error?: ErrorData
  readonly usage: Usage
  /** The number of replies that it took. */
  readonly replies: number
  /** Of an agent with `compaction`. */
  readonly window?: DecisionWindow
}

/** The conversation of an agent beside the window of its model, after a decision. */
export interface DecisionWindow {
  /** The conversation that the decision was given. */
  readonly before: AppendLog<Message>
  /** The conversation after the summaries that were written for the decision; without any the same list. */
  readonly after: AppendLog<Message>
  /** The usage of these summaries. */
  readonly usage: Usage
  /** The tokens that the server counts for each estimated one. */
  readonly scale: number
}

export interface CompactionOutput {
  readonly kind: 'compaction'
  readonly outcome: 'compacted' | 'failed' | 'cancelled'
  /** The conversation after the summaries that were written; absent where there are none. */
  readonly messages?: AppendLog<Message>
  readonly error?: ErrorData
  readonly usage: Usage
}

/** A message of a person after the input processors. */
export type ScreenedSaying = { readonly id: string } & (
  | {
      readonly outcome: 'passed'
      /** The message as the model reads it: one, or several where processors have made more of it. */
      readonly messages: readonly UserMessage[]
    }
  | { readonly outcome: 'refused'; readonly reason: string }
)

export interface ScreeningOutput {
  readonly kind: 'screening'
  /** The messages that were judged; after a cancel some may be missing. */
  readonly screened: readonly ScreenedSaying[]
}

export type Report =
  ToolCallOutput | DelegationOutput | CompletionOutput | DecisionOutput | CompactionOutput | ScreeningOutput
