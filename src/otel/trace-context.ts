/** Trace contexts in the form of the W3C, as runs keep them, and as the contexts of OpenTelemetry. */
import {
  context,
  isSpanContextValid,
  ROOT_CONTEXT,
  trace,
  TraceFlags,
  type Context,
  type SpanContext,
} from '@opentelemetry/api'

/** The context of OpenTelemetry whose parent is the span of a `traceparent`. */
export function contextOf(traceparent: string | undefined): Context {
  const [, traceId, spanId, flags] = traceparent?.split('-') ?? []
  if (traceId === undefined || spanId === undefined || flags === undefined) return ROOT_CONTEXT
  const traceFlags = Number.parseInt(flags, 16) & TraceFlags.SAMPLED
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true })
}

export function toTraceparent({ traceId, spanId, traceFlags }: SpanContext): string {
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`
}

/**
 * The W3C trace context of the active span, for the option `traceparent` of a run; `undefined`: no span is active. A troupe
 * with `around: otel()` takes it by itself when a run starts; a client of another engine, such as `restateTroupe`, is given it.
 */
export function traceparent(): string | undefined {
  return traceparentIn(context.active())
}

/** The W3C trace context of the span of a context. */
export function traceparentIn(within: Context): string | undefined {
  const span = trace.getSpanContext(within)
  return span !== undefined && isSpanContextValid(span) ? toTraceparent(span) : undefined
}
