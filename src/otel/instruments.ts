/** The metrics, with the boundaries of buckets that the conventions advise. */
import type { Attributes, Histogram, Meter } from '@opentelemetry/api'
import { metric } from './names.ts'

export interface Instruments {
  /** Seconds of a call of a model. */
  readonly operationDuration: Histogram
  readonly tokenUsage: Histogram
  /** Seconds that an agent was at work. */
  readonly agentDuration: Histogram
  /** Seconds of a call of a tool. */
  readonly toolDuration: Histogram
}

const doubling = (first: number, count: number): number[] =>
  Array.from({ length: count }, (_, index) => Number((first * 2 ** index).toFixed(2)))

const tokens = Array.from({ length: 14 }, (_, index) => 4 ** index)

export function createInstruments(meter: Meter): Instruments {
  const seconds = (name: string, description: string, explicitBucketBoundaries: number[]): Histogram =>
    meter.createHistogram(name, { unit: 's', description, advice: { explicitBucketBoundaries } })
  return {
    operationDuration: seconds(metric.operationDuration, 'Duration of calls of models', doubling(0.01, 14)),
    agentDuration: seconds(metric.agentDuration, 'Duration of the work of agents', doubling(0.1, 13)),
    toolDuration: seconds(metric.toolDuration, 'Duration of calls of tools', doubling(0.01, 14)),
    tokenUsage: meter.createHistogram(metric.tokenUsage, {
      unit: '{token}',
      description: 'Tokens that calls of models have used',
      advice: { explicitBucketBoundaries: tokens },
    }),
  }
}

/** Measures the seconds from now until the function that it returns is called. */
export function stopwatch(histogram: Histogram): (attributes: Attributes) => void {
  const begun = performance.now()
  return (attributes) => histogram.record((performance.now() - begun) / 1000, attributes)
}
