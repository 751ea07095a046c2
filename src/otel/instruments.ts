/** The metrics, with the boundaries of buckets that the conventions advise. */
import type { Attributes, Counter, Histogram, Meter } from '@opentelemetry/api'
import { metric } from './names.ts'

export interface Instruments {
  /** Seconds of a call of a model. */
  readonly inferenceDuration: Histogram
  /** Seconds from a call of a model to the first piece of its reply. */
  readonly timeToFirstChunk: Histogram
  readonly tokens: TokenInstruments
  /** Seconds that an agent was at work. */
  readonly agentDuration: Histogram
  /** Calls of models in the work of an agent. */
  readonly inferenceCalls: Histogram
  /** Calls of tools in the work of an agent. */
  readonly toolCalls: Histogram
  /** Seconds of a call of a tool. */
  readonly toolDuration: Histogram
}

/** The tokens that calls of models have used in all, and those of each call. */
export interface TokenInstruments {
  readonly input: Counter
  readonly output: Counter
  readonly cacheRead: Counter
  readonly cacheWrite: Counter
  readonly reasoning: Counter
  readonly inputOfCall: Histogram
  readonly outputOfCall: Histogram
}

const doubling = (first: number, count: number): number[] =>
  Array.from({ length: count }, (_, index) => Number((first * 2 ** index).toFixed(2)))

const tokenBuckets = Array.from({ length: 14 }, (_, index) => 4 ** index)

export function createInstruments(meter: Meter): Instruments {
  const histogram = (name: string, unit: string, description: string, buckets: number[]): Histogram =>
    meter.createHistogram(name, { unit, description, advice: { explicitBucketBoundaries: buckets } })
  return {
    inferenceDuration: histogram(
      metric.inferenceDuration,
      's',
      'Duration of calls of models',
      doubling(0.01, 14),
    ),
    timeToFirstChunk: histogram(
      metric.timeToFirstChunk,
      's',
      'Time to the first piece of replies that stream',
      doubling(0.01, 14),
    ),
    agentDuration: histogram(metric.agentDuration, 's', 'Duration of the work of agents', doubling(0.1, 13)),
    inferenceCalls: histogram(
      metric.inferenceCalls,
      '{inference_call}',
      'Calls of models in the work of an agent',
      doubling(1, 8),
    ),
    toolCalls: histogram(
      metric.toolCalls,
      '{tool_call}',
      'Calls of tools in the work of an agent',
      doubling(1, 8),
    ),
    toolDuration: histogram(metric.toolDuration, 's', 'Duration of calls of tools', doubling(0.01, 14)),
    tokens: tokenInstruments(meter, histogram),
  }
}

function tokenInstruments(
  meter: Meter,
  histogram: (name: string, unit: string, description: string, buckets: number[]) => Histogram,
): TokenInstruments {
  const unit = '{token}'
  const counter = (name: string, description: string): Counter =>
    meter.createCounter(name, { unit, description })
  return {
    input: counter(metric.inputTokens, 'Input tokens that calls of models have used'),
    output: counter(metric.outputTokens, 'Output tokens that calls of models have used'),
    cacheRead: counter(metric.cacheReadTokens, 'Input tokens that came from the cache of the provider'),
    cacheWrite: counter(metric.cacheWriteTokens, 'Input tokens that the provider wrote to its cache'),
    reasoning: counter(metric.reasoningTokens, 'Output tokens that were spent on reasoning'),
    inputOfCall: histogram(metric.inputTokensOfCall, unit, 'Input tokens of a call of a model', tokenBuckets),
    outputOfCall: histogram(
      metric.outputTokensOfCall,
      unit,
      'Output tokens of a call of a model',
      tokenBuckets,
    ),
  }
}

/** Measures the seconds from now until the function that it returns is called. */
export function stopwatch(histogram: Histogram): (attributes: Attributes) => void {
  const begun = performance.now()
  return (attributes) => histogram.record((performance.now() - begun) / 1000, attributes)
}
