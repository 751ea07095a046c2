/** Spans and metrics of OpenTelemetry, for agents, models and tools. */
export { otel, type OtelOptions } from './otel.ts'
export { traceContext, traceparent } from './trace-context.ts'
