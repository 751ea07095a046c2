/** Spans and metrics of OpenTelemetry for the runs of a process, by the semantic conventions for generative AI. */
import type { BeginningRun, Observer, TraceContext } from '../index.ts'
import { type Fields, aBoolean, having, optional, readOptions, withDefault } from '../kit/index.ts'
import { metrics, ROOT_CONTEXT, SpanKind, trace, type Meter, type Tracer } from '@opentelemetry/api'
import { AgentSpans, type Telemetry } from './agent-spans.ts'
import { EffectSpans } from './effect-spans.ts'
import { createInstruments, type Instruments } from './instruments.ts'
import { attribute, startOfRun } from './names.ts'
import { toTraceContext, traceContext } from './trace-context.ts'

/** The options of `otel`. */
export interface OtelOptions {
  /** Default: `trace.getTracer('troupe')`. */
  readonly tracer?: Tracer
  /** Default: `metrics.getMeter('troupe')`, when the first agent goes to work. */
  readonly meter?: Meter
  /**
   * Whether spans hold content: instructions, messages, and the arguments and results of tools. They may be personal or
   * secret. Default: `false`.
   */
  readonly content?: boolean
}

const scope = 'troupe'

const fields = {
  tracer: optional(having('a tracer of @opentelemetry/api', 'startSpan')),
  meter: optional(having('a meter of @opentelemetry/api', 'createHistogram')),
  content: withDefault(aBoolean, false),
} satisfies Fields<OtelOptions>

/**
 * An observer for `around` of `createTroupe` and of `restateEndpoint`: it writes a span `invoke_agent` for each agent at
 * work, `chat`, `plan` and `execute_tool` for its effects, and their metrics. The span of a tool is active while the tool
 * runs. A run that is started within an active span belongs to its trace, over suspensions, restarts and processes; a replay
 * writes nothing. Throws a `ConfigurationError` for a wrong option.
 */
export function otel(options: OtelOptions = {}): Observer {
  const {
    tracer,
    meter,
    content = fields.content.default,
  } = readOptions<OtelOptions>(options, 'otel', fields)
  let instruments: Instruments | undefined
  const telemetry: Telemetry = {
    tracer: () => tracer ?? trace.getTracer(scope),
    instruments: () => (instruments ??= createInstruments(meter ?? metrics.getMeter(scope))),
    hasContent: content,
  }
  const agents = new AgentSpans(telemetry)
  const effects = new EffectSpans(telemetry, agents)
  return {
    around: (effect, perform) => effects.around(effect, perform),
    agent: (agent) => agents.begin(agent),
    traceparent: (run) => traceContext() ?? newTrace(telemetry, run),
    traceparentOf: (agent) => agents.traceparentOf(agent),
  }
}

/** A trace of its own for a run that is started outside of spans: its first span is the start, which is over at once. */
function newTrace({ tracer }: Telemetry, { runId, agent }: BeginningRun): TraceContext | undefined {
  const attributes = { [attribute.runId]: runId, [attribute.agentName]: agent }
  const span = tracer().startSpan(
    `${startOfRun} ${agent}`,
    { kind: SpanKind.INTERNAL, attributes },
    ROOT_CONTEXT,
  )
  span.end()
  return toTraceContext(span.spanContext())
}
