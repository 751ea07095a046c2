/** Input, context and output of a decision. */
import { AppendLog } from '../../actors/values/append-log.ts'
import type { ResponseFormat } from '../../actors/chat-model.ts'
import type { CallReader, CallVerdicts, Message } from '../../actors/message.ts'
import type { SignedReply } from '../../actors/messages/provider-data.ts'
import type { Toolset } from '../../actors/toolset/toolset.ts'
import { noUsage, type Usage } from '../../actors/usage.ts'
import type { ErrorData } from '../../errors.ts'
import type { Summarizer } from '../compaction/context.ts'
import type { FallbackProfile } from '../contract/model-row.ts'
import type { CompactionProfile } from '../contract/profile.ts'
import type { CompactionOutput, DecisionOutput } from '../contract/reports.ts'
import type { DecisionCheck } from './parse-decision.ts'
import { aLog, aNumber, aRecord, aToolset, startedByAgents } from '../shared/chart-input.ts'
import { aFunction, aText } from '../../actors/strict/checks.ts'
import { optional, required } from '../../actors/strict/read-options.ts'

export interface DecisionInput {
  /** The agent that decides. */
  readonly agent: string
  /** Provider and model id. */
  readonly model: string
  /** Absent: the agent has no other model. */
  readonly fallbacks?: FallbackProfile
  /** The agent's toolset: where it is computed for the run, so is the model. */
  readonly toolset: Toolset
  /** The subject of the decision, for errors: `routing`, `plan`. */
  readonly subject: string
  /** The conversation of the agent. */
  readonly conversation: AppendLog<Message>
  /** The step of the agent that the decision is a part of; 0, or absent: of none. */
  readonly step?: number
  /** The question, which follows the conversation. */
  readonly prompt: string
  readonly responseFormat: ResponseFormat
  /** Pure: the same text and verdicts have the same answer. `verdicts`: those on record, of the calls that `calls` reads. */
  readonly check: (text: string, verdicts?: CallVerdicts) => DecisionCheck
  /** Absent: no answer asks for a call. */
  readonly calls?: CallReader
  /** How often a retryable error is tried again. */
  readonly retries: number
  /** Timeouts in milliseconds: of a model call, and of the user functions around it. */
  readonly limits: { readonly timeout?: number; readonly hookTimeout: number }
  /** Absent: the conversation is never summarised. */
  readonly compaction?: DecisionCompaction
}

/** When and by whom the conversation is summarised. */
export interface DecisionCompaction {
  readonly profile: CompactionProfile
  readonly summarizer: Summarizer
  /** The tokens that the server counts for each estimated one, as the agent knows it. */
  readonly scale: number
}

export interface DecisionContext {
  readonly input: DecisionInput
  /** The conversation of the agent, with summaries in the place of earlier messages. */
  readonly conversation: AppendLog<Message>
  /** The question, and after an invalid answer that answer and the problem with it. */
  readonly exchange: AppendLog<Message>
  readonly failures: number
  readonly lastFailure: ErrorData | undefined
  /** Models of the row that have failed: the place of the one that is asked. */
  readonly fallen: number
  readonly replies: number
  readonly check: DecisionCheck | undefined
  /** Of the calls that the last reply asks for. */
  readonly verdicts: CallVerdicts | undefined
  readonly error: ErrorData | undefined
  readonly usage: Usage
  readonly window: WindowContext
}

/** The conversation beside the window of the model. Without `compaction` it never changes. */
export interface WindowContext {
  /** The tokens that the server counts for each estimated one. */
  readonly scale: number
  /** Requests since the last reply that were too long for the server. */
  readonly overflows: number
  /** How many compactions were begun: names them. */
  readonly begun: number
  /** The last compaction, once it is reported. */
  readonly report: CompactionOutput | undefined
  /** The usage of all summaries. */
  readonly usage: Usage
}

const assertInput = /* @__PURE__ */ startedByAgents<DecisionInput>('decision', {
  agent: required(aText),
  model: required(aText),
  fallbacks: optional(aRecord),
  toolset: required(aToolset),
  subject: required(aText),
  conversation: required(aLog),
  step: optional(aNumber),
  prompt: required(aText),
  responseFormat: required(aRecord),
  check: required(aFunction),
  calls: optional(aFunction),
  retries: required(aNumber),
  limits: required(aRecord),
  compaction: optional(aRecord),
})

export function initialContext(input: DecisionInput): DecisionContext {
  assertInput(input)
  return {
    input,
    conversation: input.conversation,
    exchange: AppendLog.of([{ role: 'user', content: input.prompt, internal: 'notice' }]),
    failures: 0,
    lastFailure: undefined,
    fallen: 0,
    replies: 0,
    check: undefined,
    verdicts: undefined,
    error: undefined,
    usage: noUsage,
    window: {
      scale: input.compaction?.scale ?? 1,
      overflows: 0,
      begun: 0,
      report: undefined,
      usage: noUsage,
    },
  }
}

/** A refusal, or an answer that was cut off, is no decision, even if its text is a valid one. */
export function checkReply({ input }: DecisionContext, reply: SignedReply): DecisionCheck {
  if (reply.finishReason === 'refusal' || reply.finishReason === 'content-filter') {
    return { ok: false, problem: 'the model refused to decide' }
  }
  if (reply.finishReason === 'length') return { ok: false, problem: 'the answer was cut off' }
  return input.check(reply.text, reply.verdicts)
}

export function decisionOutput(
  { input, conversation, check, verdicts, error, usage, replies, window }: DecisionContext,
  decision: DecisionOutput['decision'],
): DecisionOutput {
  return {
    kind: 'decision',
    decision,
    ...(decision === 'made' && check?.ok === true
      ? { value: check.value, ...(verdicts && { verdicts }) }
      : {}),
    ...(decision === 'failed' && error !== undefined ? { error } : {}),
    usage,
    replies,
    ...(input.compaction && {
      window: { before: input.conversation, after: conversation, usage: window.usage, scale: window.scale },
    }),
  }
}
