/** What a live run needs of its troupe. */
import type { InspectionEvent } from 'xstate'
import type { Clock } from './clock.ts'
import type { Committer } from './committer.ts'
import type { Keeper } from './keeper.ts'
import type { LiveRun } from './live-run.ts'
import type { Registry } from './registry.ts'
import type { Store } from './store.ts'

export interface RunHost {
  readonly registry: Registry
  readonly store: Store
  readonly clock: Clock
  readonly committer: Committer
  readonly keeper: Keeper
  readonly inspect: ((event: InspectionEvent) => void) | undefined
  /** Milliseconds that a suspended run stays in memory. */
  readonly passivateAfter: number
  /** The run is live here from now on. */
  entered(run: LiveRun): void
  /** The run has left memory, and is wanted again at `wakeAt` at the latest. */
  parked(run: LiveRun, wakeAt: number | undefined): void
  /** The run has ended. */
  left(run: LiveRun): void
}
