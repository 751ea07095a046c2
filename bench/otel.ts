/**
 * What spans and metrics cost the runs of a process: scenario (d), a thousand runs at once of three model calls each, without a
 * wrapper, with an empty one, with `otel()` where the app has no SDK, and with the SDK and exporters in memory.
 */
import { parseArgs } from 'node:util'
import { context, metrics, trace, type Meter, type Tracer } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics'
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace'
import { createTroupe, type AroundOption } from 'troupe'
import { otel } from 'troupe/otel'
import { instantModel } from './chats/in-process.ts'
import { agentOf, troupe } from './contestants/troupe.ts'
import { ratiosOf } from './report/comparison.ts'
import { scenarios } from './scenarios/all.ts'
import type { Entry } from './scenarios/scenario.ts'
import { compare } from './support/measure.ts'
import { median } from './support/statistics.ts'

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '9' } } })
const scenario = scenarios.d
const models = { of: instantModel, stream: true }

const spans = new InMemorySpanExporter()
const tracers = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter: spans })] })
const meters = new MeterProvider({
  readers: [
    new PeriodicExportingMetricReader({
      exporter: new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE),
      exportIntervalMillis: 2 ** 30,
    }),
  ],
})
const contexts = new AsyncLocalStorageContextManager().enable()

interface Case {
  readonly around?: AroundOption
  readonly hasContexts?: true
}

const observed = (tracer: Tracer, meter: Meter): AroundOption => otel({ tracer, meter })

const cases: Readonly<Record<string, Case>> = {
  'no wrapper': {},
  'an empty wrapper': { around: (_effect, perform) => perform() },
  'otel(), no SDK': { around: observed(trace.getTracer('none'), metrics.getMeter('none')) },
  'otel(), the SDK': {
    around: observed(tracers.getTracer('troupe'), meters.getMeter('troupe')),
    hasContexts: true,
  },
  'otel({ content: true }), the SDK': {
    around: otel({
      tracer: tracers.getTracer('troupe'),
      meter: meters.getMeter('troupe'),
      content: true,
    }),
    hasContexts: true,
  },
}

const field = Object.entries(cases).map(([name, { around, hasContexts }]): Entry => {
  const contestant = troupe(models, scenario.job, name, around)
  return {
    scenario,
    contestant: {
      name,
      prepare() {
        spans.reset()
        context.disable()
        if (hasContexts === true) context.setGlobalContextManager(contexts)
        return contestant.prepare()
      },
    },
  }
})

/** Each run has its `start_run`, an agent, three calls of a model and two of a tool. */
async function spansOfOneRun(): Promise<number> {
  spans.reset()
  const agent = agentOf(models, scenario.job, 'lead')
  const around = observed(tracers.getTracer('troupe'), meters.getMeter('troupe'))
  const one = createTroupe({ agents: [agent], around })
  await (
    await one.start(agent, scenario.job.task, {})
  ).result
  await one.close()
  return spans.getFinishedSpans().length
}

if (globalThis.gc === undefined) console.warn('Without --expose-gc the numbers hold garbage of one another.')
const written = await spansOfOneRun()
const measurements = await compare(field, { warmUps: 2, rounds: Number(values.rounds) })
const [bare] = measurements
if (bare === undefined) throw new Error('Nothing was measured.')
console.log(`${scenario.title}, ${written} spans a run, ${values.rounds} rounds, node ${process.version}`)
console.table(
  measurements.map((measurement) => ({
    observer: measurement.name,
    'µs CPU a call': median(
      measurement.samples.map(({ cpu }) => (cpu * 1_000) / measurement.modelCallsPerRound),
    ).toFixed(0),
    'CPU, times without': ratiosOf(measurement, bare).cpu.toFixed(2),
    'time, times without': ratiosOf(measurement, bare).wall.toFixed(2),
  })),
)
await meters.shutdown()
await tracers.shutdown()
