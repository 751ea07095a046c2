/** Our own message type. Drivers convert it once, at the boundary to a provider. */
import type { Content } from './content/content.ts'
import type { JsonValue } from './values/json.ts'

/**
 * Why the library, and not the user, put a message into a conversation. Subagents see the gaps that the scorers found
 * (`scoring`) and the summary of earlier messages (`summary`), but not the feedback of hooks and the library's notices. `partial` marks the text of an answer that was cut.
 */
export type InternalPurpose = 'feedback' | 'notice' | 'said' | 'scoring' | 'summary' | 'partial'

/** The instructions of an agent. */
export interface SystemMessage {
  readonly role: 'system'
  readonly content: string
}

/** A message of a user, or one that the library or a hook has added. */
export interface UserMessage {
  readonly role: 'user'
  readonly content: Content
  readonly internal?: InternalPurpose
}

/** A message of an agent, with the calls that it makes. */
export interface AssistantMessage {
  readonly role: 'assistant'
  readonly content: Content
  readonly toolCalls?: readonly ToolCall[]
  /** The reasoning before the message, where the reply said `keepReasoning`. */
  readonly reasoning?: string
  /** The provider of the model that the reasoning and the data come from: another provider is not given them. */
  readonly provider?: string
  /** The `providerData` of the reply. */
  readonly providerData?: JsonValue
}

/** The result of a call, as the model reads it. */
export interface ToolMessage {
  readonly role: 'tool'
  readonly toolCallId: string
  readonly toolName: string
  /** Text, or JSON as text; the files of the result after it. */
  readonly content: Content
  readonly isError?: true
}

/** A message of a conversation. */
export type Message = SystemMessage | UserMessage | AssistantMessage | ToolMessage

/** The input of a user: one text, or a conversation so far. */
export type Prompt = string | readonly PromptMessage[]

/** A message that a caller may give in a prompt. */
export interface PromptMessage {
  readonly role: 'user' | 'assistant'
  readonly content: Content
}

/** A call that a model asks for. */
export interface ToolCall {
  /** The provider's id; not trusted to be unique. */
  readonly id: string
  readonly name: string
  /** The parsed arguments; `null` when `malformed` is set. */
  readonly args: JsonValue
  /** The raw text of arguments that were not JSON. It is replayed to a server as `{}`. */
  readonly malformed?: string
  /** Data that the provider wants back with the call. Only the driver that made it reads it. */
  readonly providerData?: JsonValue
}

/** `asks`: a function of the user's decides on each call. */
export type ApprovalPolicy = boolean | 'asks'

/** A policy that lets fewer calls run than another policy. */
export type StricterPolicy = Exclude<ApprovalPolicy, false>

/** The policy of today, where it is stricter than the recorded policy. */
export function stricterThan(recorded: ApprovalPolicy, today: ApprovalPolicy): StricterPolicy | undefined {
  if (today === false || recorded === true || recorded === today) return undefined
  return today
}

/**
 * Whether a call of a model fitted when the model made it, as the journal keeps it: an edit of a schema does not change
 * the fate of a call that is under way.
 */
export interface CallVerdict {
  /** Why the call was refused, worded for the model. Absent: its arguments fitted. */
  readonly problem?: string
  /** The policy at the call, where it is stricter than the policy with which the run began. */
  readonly requireApproval?: StricterPolicy
  /** Only an effect can check the arguments. */
  readonly isUnchecked?: true
  /** A delegation names files, also where there are none. In journals of before it was refused then, it is absent. */
  readonly namesFiles?: true
}

/** Stands in a `CallReader` for a plan as a whole. No tool has such a name. */
export const wholePlan = 'plan:whole'

/** The verdicts on the calls of a reply, by position; `null`: there is none, and the call is checked as it stands. */
export type CallVerdicts = readonly (CallVerdict | null)[]

/**
 * Reads the calls that the text of a decision asks for. Pure, and independent of the schemas of tools: each replay reads the same
 * calls. `undefined`: a part of the decision that makes no call.
 */
export type CallReader = (text: string) => readonly (ToolCall | undefined)[]

/** A call of a model within a chart. `verdict` is absent where only an effect can check the call. */
export interface JudgedCall extends ToolCall {
  readonly verdict?: CallVerdict
}
