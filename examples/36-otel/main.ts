/**
 * Spans and metrics of OpenTelemetry. A run waits for a person; its process ends, and another one goes on with it: the spans
 * of both are of one trace. Here they are kept in memory and printed; an app exports them to its collector.
 */
import { context, metrics, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics'
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace'
import { createTroupe, memoryStore } from 'troupe'
import { otel } from 'troupe/otel'
import { chooseModel } from '../support/model.ts'
import { reportFailure } from '../support/report.ts'
import { createDesk } from './agents.ts'
import { script } from './script.ts'
import { show } from './show.ts'

// The SDK of the app. With `@opentelemetry/sdk-node` it is one call, and exports by itself.
const spans = new InMemorySpanExporter()
const measured = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE)
const meters = new MeterProvider({ readers: [new PeriodicExportingMetricReader({ exporter: measured })] })
context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
trace.setGlobalTracerProvider(
  new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter: spans })] }),
)
metrics.setGlobalMeterProvider(meters)

await using source = await chooseModel(script)
console.log(source.notice)
const store = memoryStore()
const desk = createDesk(source.model)

const morning = createTroupe({ agents: [desk], store, around: otel() })
const run = await trace.getTracer('shop').startActiveSpan('POST /refunds', async (request) => {
  const begun = await morning.start(desk, 'Pay order 17 back, please.')
  request.end()
  return begun
})
await run.whenIdle
await morning.close()
console.log('\nThe run waits for a person, and its process has ended.')

const evening = createTroupe({ agents: [desk], store, around: otel() })
const resumed = await evening.resume(run.id)
const [question] = (await evening.awaiting()).items
if (question !== undefined) await resumed.approve(question.toolCallId)
const result = await resumed.result
reportFailure(result)
console.log(`Another one has gone on with it: ${result.text}`)

const all = spans.getFinishedSpans().toSorted((one, other) => {
  const [seconds, nanos] = one.startTime
  const [otherSeconds, otherNanos] = other.startTime
  return seconds - otherSeconds || nanos - otherNanos
})
console.log(`\nTraces: ${new Set(all.map((span) => span.spanContext().traceId)).size}`)
show(all)

await meters.forceFlush()
console.log('\nMetrics:')
for (const { metrics: kept } of measured.getMetrics().at(-1)?.scopeMetrics ?? []) {
  for (const { descriptor, dataPoints } of kept) {
    console.log(`  ${descriptor.name}, in ${descriptor.unit}: ${dataPoints.length} series`)
  }
}
await evening.close()
await meters.shutdown()
