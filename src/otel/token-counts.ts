/** The tokens of a call of a model, on its span and in the metrics. */
import type { Attributes, Span } from '@opentelemetry/api'
import type { Usage } from '../actors/usage.ts'
import { isRecord } from '../actors/values/json.ts'
import type { TokenInstruments } from './instruments.ts'
import { attribute } from './names.ts'

type Count = 'inputTokens' | 'outputTokens' | 'cachedInputTokens' | 'cacheWriteTokens' | 'reasoningTokens'

const onSpan: Readonly<Record<Count, string>> = {
  inputTokens: attribute.inputTokens,
  outputTokens: attribute.outputTokens,
  cachedInputTokens: attribute.cacheReadTokens,
  cacheWriteTokens: attribute.cacheWriteTokens,
  reasoningTokens: attribute.reasoningTokens,
}

/** Sets the counts that a reply reports on the span of its call. */
export function setTokens(span: Span, reply: unknown): void {
  const usage = usageOf(reply)
  for (const [name, key] of Object.entries(onSpan)) {
    const count = usage[name as Count]
    if (typeof count === 'number') span.setAttribute(key, count)
  }
}

/**
 * Records the counts of a call, 0 for those that are not reported: a call that failed counts as one. Providers do not
 * report text, images and sound alike, so the modality is unknown.
 */
export function recordTokens(tokens: TokenInstruments, reply: unknown, attributes: Attributes): void {
  const { [attribute.errorType]: _error, ...rest } = attributes
  const counted: Attributes = { ...rest, [attribute.tokenModality]: 'unknown' }
  const usage = usageOf(reply)
  const { inputTokens = 0, outputTokens = 0 } = usage
  tokens.input.add(inputTokens, counted)
  tokens.output.add(outputTokens, counted)
  tokens.cacheRead.add(usage.cachedInputTokens ?? 0, counted)
  tokens.cacheWrite.add(usage.cacheWriteTokens ?? 0, counted)
  tokens.reasoning.add(usage.reasoningTokens ?? 0, counted)
  tokens.inputOfCall.record(inputTokens, attributes)
  tokens.outputOfCall.record(outputTokens, attributes)
}

/** The engine has read the usage of the reply: its counts are numbers. */
function usageOf(reply: unknown): Partial<Pick<Usage, Count>> {
  return isRecord(reply) && isRecord(reply['usage']) ? reply['usage'] : {}
}
