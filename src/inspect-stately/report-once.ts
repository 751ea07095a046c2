/** Reports each kind of failure of an inspector once, and to `onError` alone: the run goes on. */
import { reporterOf, safely } from '../kit/index.ts'

export type ReportFailure = (failure: string, cause?: unknown) => void

export function reportOnce(onError: (error: Error) => void = warn): ReportFailure {
  const call = safely('onError of an inspector', onError, reporterOf())
  const reported = new Set<string>()
  return (failure, cause) => {
    if (reported.has(failure)) return
    reported.add(failure)
    call(new Error(cause === undefined ? failure : `${failure}: ${reasonOf(cause)}`, { cause }))
  }
}

function reasonOf(cause: unknown): string {
  if (cause instanceof AggregateError) return cause.errors.map(reasonOf).join('; ') // a name with several addresses
  return cause instanceof Error ? cause.message : String(cause)
}

function warn(error: Error): void {
  // oxlint-disable-next-line eslint/no-console -- the user gave no other observer
  console.warn(`troupe/inspect-stately: ${error.message}. Runs go on; this is said once.`)
}
