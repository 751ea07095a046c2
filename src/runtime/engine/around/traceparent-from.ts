/** The trace context that observers give to a run. */
import { aTraceparent } from '../../../actors/strict/checks.ts'
import type { Reporter } from '../../report.ts'
import type { BeginningRun, Observer } from './observer.ts'

/** Returns that of the first observer that gives one. An observer that throws, or gives no trace context, is reported. */
export function traceparentFrom(
  observers: readonly Observer[],
  run: BeginningRun,
  report: Reporter,
): string | undefined {
  for (const observer of observers) {
    try {
      const given: unknown = observer.traceparent?.(run)
      if (given !== undefined) return aTraceparent(given, 'traceparent of an observer') as string
    } catch (error) {
      const message = `an observer gave no trace context, to the run "${run.runId}"`
      report({ message, where: 'observer', error, ...run })
    }
  }
  return undefined
}
