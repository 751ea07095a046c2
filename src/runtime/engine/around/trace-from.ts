/** The trace contexts that observers give to runs, and to the subagents of agents at work. */
import { anything } from '../../../actors/strict/checks.ts'
import { anObject, optional, required, type Fields } from '../../../actors/strict/read-options.ts'
import {
  aTraceparent,
  aTracestate,
  traceIn,
  type TraceContext,
} from '../../../actors/strict/trace-context.ts'
import { atOnce } from '../../user-function.ts'
import type { Reporter } from '../../report.ts'
import type { BeginningRun, ObservedAgent, Observer } from './observer.ts'

/** Returns that of the first observer that gives one. An observer that throws, or gives no trace context, is reported. */
export function traceFrom(
  observers: readonly Observer[],
  run: BeginningRun,
  report: Reporter,
): TraceContext | undefined {
  return firstOf(observers, (observer) => observer.traceparent?.(run), run, report)
}

/** As `traceFrom`, for the subagents of an agent at work. */
export function traceOf(
  observers: readonly Observer[],
  agent: ObservedAgent,
  report: Reporter,
): TraceContext | undefined {
  const { runId, agent: id, path } = agent
  return firstOf(observers, (observer) => observer.traceparentOf?.(agent), { runId, agent: id, path }, report)
}

const traceFields: Fields<TraceContext> = {
  traceparent: required(aTraceparent),
  tracestate: optional(anything), // a wrong one leaves the traceparent in place
}

const aTrace = /* @__PURE__ */ anObject(traceFields, { expected: 'a trace context', word: 'field' })

function firstOf(
  observers: readonly Observer[],
  ask: (observer: Observer) => unknown,
  place: { readonly runId: string; readonly agent: string; readonly path?: string },
  report: Reporter,
): TraceContext | undefined {
  const where = 'traceparent of an observer'
  const failed = (what: string, error: unknown): void =>
    report({
      message: `an observer gave no ${what}, to the run "${place.runId}"`,
      code: 'AGENT_OBSERVER_TRACE_INVALID',
      where: 'observer',
      error,
      ...place,
    })
  for (const observer of observers) {
    try {
      const given = atOnce(where, ask(observer))
      if (given === undefined) continue
      const trace = aTrace(typeof given === 'string' ? { traceparent: given } : given, where)
      return withState(trace, (error) => failed('tracestate', error), where)
    } catch (error) {
      failed('trace context', error)
    }
  }
  return undefined
}

function withState(trace: TraceContext, failed: (error: unknown) => void, where: string): TraceContext {
  const { traceparent, tracestate } = trace
  try {
    if (tracestate !== undefined) aTracestate(tracestate, `${where}: tracestate`)
    return traceIn(trace) ?? trace
  } catch (error) {
    failed(error)
    return { traceparent }
  }
}
