/** Input, context and output of a decision. */
import type { AppendLog } from '../../actors/values/append-log.ts'
import type { ModelReply, ResponseFormat } from '../../actors/chat-model.ts'
import type { JsonValue } from '../../actors/values/json.ts'
import type { Message } from '../../actors/message.ts'
import type { Toolset } from '../../actors/toolset.ts'
import { noUsage, type Usage } from '../../actors/usage.ts'
import type { ErrorData } from '../../errors.ts'
import type { DecisionOutput } from '../contract/reports.ts'

/** Whether a reply is a valid decision. A problem is worded for the model. */
export type DecisionCheck =
  { readonly ok: true; readonly value: JsonValue } | { readonly ok: false; readonly problem: string }

export interface DecisionInput {
  /** The agent that decides. */
  readonly agent: string
  /** Provider and model id. */
  readonly model: string
  /** The agent's toolset: where it is computed for the run, so is the model. */
  readonly toolset: Toolset
  /** The subject of the decision, for errors: `routing`, `plan`. */
  readonly subject: string
  readonly messages: AppendLog<Message>
  readonly responseFormat: ResponseFormat
  /** Pure: the same text has the same answer. */
  readonly check: (text: string) => DecisionCheck
  /** How often a retryable error is tried again. */
  readonly retries: number
  /** Timeouts in milliseconds: of a model call, and of the user functions around it. */
  readonly limits: { readonly timeout?: number; readonly hookTimeout: number }
}

export interface DecisionContext {
  readonly input: DecisionInput
  readonly messages: AppendLog<Message>
  readonly failures: number
  readonly lastFailure: ErrorData | undefined
  readonly replies: number
  readonly check: DecisionCheck | undefined
  readonly error: ErrorData | undefined
  readonly usage: Usage
}

export function initialContext(input: DecisionInput): DecisionContext {
  return {
    input,
    messages: input.messages,
    failures: 0,
    lastFailure: undefined,
    replies: 0,
    check: undefined,
    error: undefined,
    usage: noUsage,
  }
}

/** A refusal, or an answer that was cut off, is no decision, even if its text is a valid one. */
export function checkReply({ input }: DecisionContext, reply: ModelReply): DecisionCheck {
  if (reply.finishReason === 'refusal' || reply.finishReason === 'content-filter') {
    return { ok: false, problem: 'the model refused to decide' }
  }
  if (reply.finishReason === 'length') return { ok: false, problem: 'the answer was cut off' }
  return input.check(reply.text)
}

export function decisionOutput(
  { check, error, usage, replies }: DecisionContext,
  decision: DecisionOutput['decision'],
): DecisionOutput {
  return {
    kind: 'decision',
    decision,
    ...(decision === 'made' && check?.ok === true ? { value: check.value } : {}),
    ...(decision === 'failed' && error !== undefined ? { error } : {}),
    usage,
    replies,
  }
}
