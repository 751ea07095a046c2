/** Reports each kind of failure of an inspector once, and to `onError` alone: the run goes on. */
import { reporterOf } from '../runtime/report.ts'
import { safely } from '../runtime/engine/safe-observers.ts'

export type Complain = (what: string, cause?: unknown) => void

export function complaints(onError: (error: Error) => void = warn): Complain {
  const tell = safely('onError of an inspector', onError, reporterOf())
  const told = new Set<string>()
  return (what, cause) => {
    if (told.has(what)) return
    told.add(what)
    tell(new Error(cause === undefined ? what : `${what}: ${reasonOf(cause)}`, { cause }))
  }
}

function reasonOf(cause: unknown): string {
  if (cause instanceof AggregateError) return cause.errors.map(reasonOf).join('; ') // a name with several addresses
  return cause instanceof Error ? cause.message : String(cause)
}

function warn(error: Error): void {
  // oxlint-disable-next-line eslint/no-console -- there is nobody else to tell
  console.warn(`troupe/inspect-stately: ${error.message}. Runs go on; this is said once.`)
}
