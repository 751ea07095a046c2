/** Observers, and those that write to OpenTelemetry. */
import type { Meter, Tracer } from '@opentelemetry/api'
import {
  createTroupe,
  type AgentEnd,
  type AnyAgent,
  type ObservedAgent,
  type Observer,
  type TraceContext,
} from 'troupe'
import { otel, traceContext, traceparent, type OtelOptions } from 'troupe/otel'
import { expectType } from '../expect-type.ts'

export function observers(agent: AnyAgent, tracer: Tracer, meter: Meter): void {
  const options: OtelOptions = { tracer, meter, content: true }
  expectType<Observer>()(otel(options))
  expectType<string | undefined>()(traceparent())
  expectType<TraceContext | undefined>()(traceContext())
  createTroupe({ agents: [agent], around: otel() })
  createTroupe({ agents: [agent], around: [(_effect, perform) => perform(), otel()] })
  createTroupe({
    agents: [agent],
    around: {
      agent: (one) => {
        expectType<ObservedAgent>()(one)
        return (end) => expectType<AgentEnd>()(end)
      },
      traceparent: ({ runId }) => runId,
      traceparentOf: ({ path }) => ({ traceparent: path, tracestate: 'a=1' }),
    },
  })
  // @ts-expect-error: a tracer, and not its name
  otel({ tracer: 'troupe' })
  // @ts-expect-error: yes or no
  otel({ content: 'yes' })
  // @ts-expect-error: not a part of an observer
  createTroupe({ agents: [agent], around: { agents: () => undefined } })
  // @ts-expect-error: a trace context has a traceparent
  createTroupe({ agents: [agent], around: { traceparent: () => ({ tracestate: 'a=1' }) } })
  // @ts-expect-error: a trace context is a text
  createTroupe({ agents: [agent], around: { traceparent: () => 7 } })
}
