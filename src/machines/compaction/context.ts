/** Input, context and output of a compaction. */
import type { AppendLog } from '../../actors/values/append-log.ts'
import type { EffectOutcome } from '../../actors/effects/effect-kinds.ts'
import type { Message } from '../../actors/message.ts'
import type { Toolset } from '../../actors/toolset/toolset.ts'
import { noUsage, type Usage } from '../../actors/usage.ts'
import type { ErrorData } from '../../errors.ts'
import { calledModel, type FallbackProfile, type ModelRow } from '../contract/model-row.ts'
import type { CompactionReason } from '../contract/events.ts'
import type { CompactionOutput } from '../contract/reports.ts'
import { sizeOf, type CompactionLimits } from './limits.ts'
import type { Part } from './part.ts'
import { aLog, aNumber, aRecord, aToolset, startedByAgents } from '../shared/chart-input.ts'
import { aText } from '../../actors/strict/checks.ts'
import { required } from '../../actors/strict/read-options.ts'

/** Who summarises for an agent: the same for all of its requests. */
export interface Summarizer {
  /** The agent whose conversation it is. */
  readonly agent: string
  readonly task: string
  /** The model (provider and model id) that writes the summaries, or the scope of the function that does. */
  readonly writer: {
    readonly model?: string
    readonly scope?: 'agent' | 'run'
    /** Of the agent's own model; absent: there is no other. */
    readonly fallbacks?: FallbackProfile
  }
  /** The agent's toolset: where it is computed for the run, so is the model. */
  readonly toolset: Toolset
  /** How often a retryable error is tried again, and a useless summary asked for again. */
  readonly retries: number
  /** Timeouts in milliseconds: of a model call or of the function, and of the user functions around a call. */
  readonly timeouts: { readonly timeout?: number; readonly hookTimeout: number }
}

export interface CompactionInput extends Summarizer {
  readonly reason: CompactionReason
  readonly messages: AppendLog<Message>
  readonly limits: CompactionLimits
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
  /** Models of the row that have failed: the place of the one that writes. */
  readonly fallen: number
  readonly error: ErrorData | undefined
  readonly usage: Usage
}

const assertInput = /* @__PURE__ */ startedByAgents<CompactionInput>('compaction', {
  agent: required(aText),
  task: required(aText),
  writer: required(aRecord),
  toolset: required(aToolset),
  retries: required(aNumber),
  timeouts: required(aRecord),
  reason: required(aText),
  messages: required(aLog),
  limits: required(aRecord),
})

export function initialContext(input: CompactionInput): CompactionContext {
  assertInput(input)
  return {
    input,
    messages: input.messages,
    part: undefined,
    summary: undefined,
    summaries: 0,
    failures: 0,
    lastFailure: undefined,
    fallen: 0,
    error: undefined,
    usage: noUsage,
  }
}

/** A request with these messages, in tokens as the server counts them. */
export function tokensIn({ input: { limits } }: CompactionContext, messages: AppendLog<Message>): number {
  return Math.round(limits.scale * (sizeOf(messages) + limits.rest))
}

/** The model or the function that writes the next summary, as fields of its effect. */
export function calledWriter({ fallbacks, ...writer }: Summarizer['writer'], fallen: number) {
  return fallen === 0 ? writer : { ...writer, ...calledModel(rowOf({ ...writer, fallbacks }), fallen) }
}

/** The models that may write the summaries. */
export function rowOf({ model = '', fallbacks }: Summarizer['writer']): ModelRow {
  return { model, fallbacks }
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
