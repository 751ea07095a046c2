/** The SDK of OpenTelemetry in this process: real contexts, and spans and metrics in memory. */
import { context, metrics, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
  type DataPoint,
  type Histogram,
} from '@opentelemetry/sdk-metrics'
import {
  InMemorySpanExporter,
  SimpleSpanProcessor,
  TracerProvider,
  type ReadableSpan,
  type SpanProcessor,
} from '@opentelemetry/sdk-trace'

export interface Measured {
  readonly name: string
  readonly unit: string
  readonly points: readonly DataPoint<Histogram | number>[]
}

export class Telemetry {
  readonly #spans = new InMemorySpanExporter()
  readonly #metrics = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE)
  readonly #meters: MeterProvider
  /** By the ids of spans, their places in the order in which they began. */
  readonly #begun = new Map<string, number>()
  readonly #names = new Map<string, string>()

  constructor() {
    context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
    trace.setGlobalTracerProvider(
      new TracerProvider({
        spanProcessors: [
          orderOf(this.#begun, this.#names),
          new SimpleSpanProcessor({ exporter: this.#spans }),
        ],
      }),
    )
    this.#meters = new MeterProvider({
      readers: [
        new PeriodicExportingMetricReader({ exporter: this.#metrics, exportIntervalMillis: 2 ** 30 }),
      ],
    })
    metrics.setGlobalMeterProvider(this.#meters)
  }

  /** The ended spans, in the order in which they began. */
  get spans(): readonly ReadableSpan[] {
    const at = (span: ReadableSpan): number => this.#begun.get(span.spanContext().spanId) ?? 0
    return this.#spans.getFinishedSpans().toSorted((one, other) => at(one) - at(other))
  }

  /** The names of spans that have begun since `forget`, and have not ended. */
  get open(): readonly string[] {
    const ended = new Set(this.#spans.getFinishedSpans().map((span) => span.spanContext().spanId))
    return [...this.#names].flatMap(([id, name]) => (ended.has(id) ? [] : name))
  }

  /** The ended spans as lines: each below its parent, further to the right. */
  tree(): readonly string[] {
    const { spans } = this
    const ids = new Set(spans.map((span) => span.spanContext().spanId))
    const below = (parent: string | undefined, depth: number): string[] =>
      spans
        .filter(({ parentSpanContext }) => {
          const id = parentSpanContext?.spanId
          return parent === undefined ? id === undefined || !ids.has(id) : id === parent
        })
        .flatMap((span) => [
          `${'  '.repeat(depth)}${span.name}`,
          ...below(span.spanContext().spanId, depth + 1),
        ])
    return below(undefined, 0)
  }

  async measured(): Promise<readonly Measured[]> {
    await this.#meters.forceFlush()
    const last = this.#metrics.getMetrics().at(-1)
    return (last?.scopeMetrics ?? []).flatMap(({ metrics: all }) =>
      all.map(({ descriptor: { name, unit }, dataPoints }) => ({
        name,
        unit,
        points: dataPoints as DataPoint<Histogram | number>[],
      })),
    )
  }

  forget(): void {
    this.#names.clear()
    this.#spans.reset()
  }

  async close(): Promise<void> {
    await this.#meters.shutdown()
    for (const api of [trace, metrics, context]) api.disable()
  }
}

/** Times of spans are too coarse to order them by. */
function orderOf(begun: Map<string, number>, names: Map<string, string>): SpanProcessor {
  return {
    onStart: (span) => {
      const { spanId } = span.spanContext()
      begun.set(spanId, begun.size)
      names.set(spanId, (span as unknown as ReadableSpan).name)
    },
    onEnd: () => undefined,
    forceFlush: () => Promise.resolve(),
    shutdown: () => Promise.resolve(),
  }
}
