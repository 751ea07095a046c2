/** What a live run needs of its troupe. */
import type { InspectionEvent } from 'xstate'
import type { Clock } from './clock.ts'
import type { Committer } from './committer.ts'
import type { AgentDefinition } from './definition.ts'
import type { Kept, Keeper } from './keeper.ts'
import type { Registry } from './registry.ts'
import type { Run, RunSignal } from './run.ts'
import type { Store } from './store.ts'

/** A run, as its troupe knows it. */
export interface HostedRun extends Kept {
  readonly id: string
  readonly run: Run
  /** Whether it can be made again from the journal and the agents alone. */
  readonly isDurable: boolean
  signal(signal: RunSignal): void
  /** Brings it back when it is parked. */
  revive(): Promise<void>
  /** Gives it up as it is. */
  abandon(): void
}

export interface RunHost {
  readonly registry: Registry
  /** Takes an agent that comes with a run; a troupe whose agents are named beforehand has none. */
  readonly admit: ((agent: AgentDefinition, where: string) => void) | undefined
  readonly store: Store
  readonly clock: Clock
  readonly committer: Committer
  readonly keeper: Keeper
  readonly inspect: ((event: InspectionEvent) => void) | undefined
  /** Milliseconds that a suspended run stays in memory. */
  readonly passivateAfter: number
  /** The run is live here from now on. */
  entered(run: HostedRun): void
  /** The run has left memory, and is wanted again at `wakeAt` at the latest. */
  parked(run: HostedRun, wakeAt: number | undefined): void
  /** The run has ended. */
  left(run: HostedRun): void
}
