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
import type { TraceContext } from '../index.ts'
import { readTraceContext } from '../kit/index.ts'
import { KeptTraceState } from './trace-state.ts'

/** The context of OpenTelemetry whose parent is the span of a trace context. */
export function contextOf({ traceparent, tracestate }: Partial<TraceContext>): Context {
  const [, traceId, spanId, flags] = traceparent?.split('-') ?? []
  if (traceId === undefined || spanId === undefined || flags === undefined) return ROOT_CONTEXT
  const traceFlags = Number.parseInt(flags, 16) & TraceFlags.SAMPLED
  return trace.setSpanContext(ROOT_CONTEXT, {
    traceId,
    spanId,
    traceFlags,
    isRemote: true,
    ...(tracestate === undefined ? {} : { traceState: KeptTraceState.of(tracestate) }),
  })
}

/** The W3C trace context of a span; `undefined`: it belongs to no trace. A `tracestate` that is not one of the W3C is left out. */
export function toTraceContext(span: SpanContext): TraceContext | undefined {
  if (!isSpanContextValid(span)) return undefined
  const { traceId, spanId, traceFlags, traceState } = span
  return readTraceContext({
    traceparent: `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`,
    tracestate: traceState?.serialize(),
  })
}

/**
 * The W3C trace context of the active span, with its `traceparent` and, where there is one, its `tracestate`: two options of a
 * run, and fields of `_meta` of a call over MCP. `undefined`: no span is active. A troupe with `around: otel()` takes it by
 * itself when a run starts; a client of another engine, such as `restateTroupe`, is given it.
 */
export function traceContext(): TraceContext | undefined {
  return traceContextIn(context.active())
}

/** The `traceparent` of the active span alone: see `traceContext`. */
export function traceparent(): string | undefined {
  return traceContext()?.traceparent
}

/** The W3C trace context of the span of a context. */
export function traceContextIn(within: Context): TraceContext | undefined {
  const span = trace.getSpanContext(within)
  return span && toTraceContext(span)
}
