/** Input, context and output of a compaction. */
import type { AppendLog } from '../../actors/values/append-log.ts'
import type { EffectOutcome } from '../../actors/effect-kinds.ts'
import type { Message } from '../../actors/message.ts'
import { charactersOf, estimatedTokens } from '../../actors/messages/size.ts'
import type { Toolset } from '../../actors/toolset.ts'
import { noUsage, type Usage } from '../../actors/usage.ts'
import type { ErrorData } from '../../errors.ts'
import type { CompactionReason } from '../contract/events.ts'
import type { CompactionOutput } from '../contract/reports.ts'
import type { Part } from './part.ts'

export interface CompactionInput {
  /** The agent whose conversation it is. */
  readonly agent: string
  readonly task: string
  readonly reason: CompactionReason
  readonly messages: AppendLog<Message>
  /** The model (provider and model id) that writes the summaries, or the scope of the function that does. */
  readonly writer: { readonly model?: string; readonly scope?: 'agent' | 'run' }
  /** The agent's toolset: where it is computed for the run, so is the model. */
  readonly toolset: Toolset
  readonly limits: CompactionLimits
  /** How often a retryable error is tried again, and a useless summary asked for again. */
  readonly retries: number
  /** Timeouts in milliseconds: of a model call or of the function, and of the user functions around a call. */
  readonly timeouts: { readonly timeout?: number; readonly hookTimeout: number }
}

/** Sizes in estimated tokens, unless they say otherwise. */
export interface CompactionLimits {
  /** The size of the messages that is short enough. */
  readonly target: number
  /** The most messages that one summary replaces. */
  readonly part: number
  /** The characters of `part`. */
  readonly characters: number
  /** The most words of a summary. */
  readonly words: number
  /** The tokens that the server counts for each estimated one. */
  readonly scale: number
  /** The tools on offer: a request has them beside its messages. */
  readonly tools: number
}

export interface CompactionContext {
  readonly input: CompactionInput
  /** The conversation as the summaries so far leave it. */
  readonly messages: AppendLog<Message>
  /** The messages that the next summary replaces. */
  readonly part: Part | undefined
  readonly summary: EffectOutcome<'compaction'> | undefined
  /** How many summaries stand in the conversation that were written now. */
  readonly summaries: number
  /** Failed attempts, and useless summaries, of the present part. */
  readonly failures: number
  readonly lastFailure: ErrorData | undefined
  readonly error: ErrorData | undefined
  readonly usage: Usage
}

export function initialContext(input: CompactionInput): CompactionContext {
  return {
    input,
    messages: input.messages,
    part: undefined,
    summary: undefined,
    summaries: 0,
    failures: 0,
    lastFailure: undefined,
    error: undefined,
    usage: noUsage,
  }
}

/** The size of messages in estimated tokens. */
export function sizeOf(messages: AppendLog<Message>): number {
  return estimatedTokens(messages.sum(charactersOf))
}

/** A request with these messages, in tokens as the server counts them. */
export function tokensIn({ input: { limits } }: CompactionContext, messages: AppendLog<Message>): number {
  return Math.round(limits.scale * (sizeOf(messages) + limits.tools))
}

export function compactionOutput(
  { messages, summaries, error, usage }: CompactionContext,
  outcome: CompactionOutput['outcome'],
): CompactionOutput {
  return {
    kind: 'compaction',
    outcome,
    ...(summaries === 0 ? {} : { messages }),
    ...(outcome === 'failed' && error !== undefined ? { error } : {}),
    usage,
  }
}
