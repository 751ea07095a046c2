/** The calls that a closing troupe lets end: those that an answer here has released, and those whose start is being recorded. */
import { noContext } from '../../async-context.ts'
import type { Clock } from '../../clock.ts'
import type { DrainedRun } from '../../run/run-host.ts'
import { lookEvery } from './drain.ts'

interface LastCallsHost<Run extends DrainedRun> {
  readonly clock: Clock
  /** The runs in memory. */
  readonly live: readonly Run[]
  /** Whether a call that is under way here follows the run: the run is a part of that call. */
  isFollowed(runId: string): boolean
  /** Aborts the effects of a run; entries that were appended are still delivered. */
  halt(run: Run): void
}

/** The share of the deadline of `close` that calls have; the store has the rest. */
const shareOfCalls = 0.8

/**
 * Aborts the effects of all runs but those that owe a call: these begin nothing more. Resolves when their calls have ended, or
 * their share of the deadline is over. `undefined`: no call is owed.
 */
export function lastCalls<Run extends DrainedRun>(
  host: LastCallsHost<Run>,
  deadline: number,
): Promise<void> | undefined {
  const { clock } = host
  const owing = host.live.filter((run) => run.owesCall)
  if (owing.length === 0) return undefined
  const over = Promise.withResolvers<void>()
  const look = (): void => {
    if (!owing.some((run) => run.owesCall && !run.isLost)) over.resolve()
  }
  for (const run of host.live) {
    if (owing.includes(run)) run.pause(look)
    else if (!host.isFollowed(run.id)) host.halt(run)
  }
  let callOffLook: () => void = () => undefined
  // A call may begin to wait for a person, and end no turn by that.
  const lookLater = (): void => {
    look()
    callOffLook = noContext.run(() => clock.after(lookEvery, lookLater, { background: true }))
  }
  lookLater()
  const callOffEnd = noContext.run(() => clock.after(deadline * shareOfCalls, over.resolve))
  return over.promise.finally(() => {
    callOffLook()
    callOffEnd()
  })
}
