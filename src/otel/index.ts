/** Spans and metrics of OpenTelemetry, for agents, models and tools; and gauges of a troupe. */
export { otelGauges, type CountedTroupe, type OtelGaugesOptions } from './gauges.ts'
export { otel, type OtelOptions } from './otel.ts'
export { traceContext, traceparent } from './trace-context.ts'
