/** The trace contexts that observers give to runs, and to the subagents of agents at work. */
import { aTraceparent } from '../../../actors/strict/checks.ts'
import { atOnce } from '../../user-function.ts'
import type { Reporter } from '../../report.ts'
import type { BeginningRun, ObservedAgent, Observer } from './observer.ts'

/** Returns that of the first observer that gives one. An observer that throws, or gives no trace context, is reported. */
export function traceparentFrom(
  observers: readonly Observer[],
  run: BeginningRun,
  report: Reporter,
): string | undefined {
  return firstOf(observers, (observer) => observer.traceparent?.(run), run, report)
}

/** As `traceparentFrom`, for the subagents of an agent at work. */
export function traceparentOf(
  observers: readonly Observer[],
  agent: ObservedAgent,
  report: Reporter,
): string | undefined {
  const { runId, agent: id, path } = agent
  return firstOf(observers, (observer) => observer.traceparentOf?.(agent), { runId, agent: id, path }, report)
}

function firstOf(
  observers: readonly Observer[],
  ask: (observer: Observer) => unknown,
  place: { readonly runId: string; readonly agent: string; readonly path?: string },
  report: Reporter,
): string | undefined {
  const failed = (error: unknown): void => {
    const message = `an observer gave no trace context, to the run "${place.runId}"`
    report({ message, where: 'observer', error, ...place })
  }
  for (const observer of observers) {
    try {
      const given = atOnce('traceparent of an observer', ask(observer))
      if (given !== undefined) return aTraceparent(given, 'traceparent of an observer') as string
    } catch (error) {
      failed(error)
    }
  }
  return undefined
}
