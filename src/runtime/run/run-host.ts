/** What a live run needs of its troupe. */
import type { InspectionEvent } from 'xstate'
import type { TroupeError } from '../../errors.ts'
import type { Clock } from '../clock.ts'
import type { Committer } from '../journal/committer.ts'
import type { AgentDefinition } from '../definition/definition.ts'
import type { Environment } from '../environment.ts'
import type { SignalQueue } from './signal-queue.ts'
import type { Kept, LeaseKeeper } from './lease-keeper.ts'
import type { AgentRegistry } from '../definition/registry.ts'
import type { Reporter } from '../report.ts'
import type { Run, RunSignal } from '../handle/run.ts'
import type { Store } from '../journal/store.ts'

/** A run, as its troupe knows it. */
export interface HostedRun extends Kept {
  readonly id: string
  readonly run: Run
  /** It had ended elsewhere when it was brought: nothing of it goes on here. */
  readonly hadEnded: boolean
  /** Whether something would be lost if it were forgotten: functions that no journal holds, or somebody who waits. */
  readonly isNeeded: boolean
  signal(signal: RunSignal): Promise<void>
  /** Brings it back when it is parked. What `first` is comes before anything of it starts. */
  revive(first?: RunSignal): Promise<void>
  /** Of a parked run: it may have come to its end elsewhere. */
  catchUp(): Promise<void>
  /** Aborts what is under way; what was appended is still delivered. */
  halt(): void
  /** Gives it up as it is: whoever waits for it is told why. */
  lose(error: TroupeError): void
  /** Throws why it cannot be followed from here any more, if so. */
  assertFollowed(): void
}

export interface RunHost {
  readonly registry: AgentRegistry
  /** Takes an agent that comes with a run; a troupe whose agents are named beforehand has none. */
  readonly admit: ((agent: AgentDefinition, where: string) => void) | undefined
  readonly store: Store
  readonly environment: Environment
  /** The time of runs. */
  readonly clock: Clock
  readonly committer: Committer
  readonly queue: SignalQueue
  readonly keeper: LeaseKeeper
  readonly inspect: ((event: InspectionEvent) => void) | undefined
  readonly report: Reporter
  /** Milliseconds that a suspended run stays in memory. */
  readonly passivateAfter: number
  /** The run is live here from now on. */
  entered(run: HostedRun): void
  /** The run has left memory, and is wanted again at `wakeAt` at the latest. */
  parked(run: HostedRun, parked: { readonly wakeAt?: number }): void
  /** A parked run must not be forgotten: somebody waits for it. */
  holdOn(run: HostedRun): void
  /** Throws when the troupe was closed. */
  assertOpen(): void
  /** Queues a signal for a run that another troupe has. Rejects with a `SignalError` for one that it does not wait for. */
  route(runId: string, signal: RunSignal): Promise<void>
  /** The run has ended, or is lost. */
  left(run: HostedRun): void
  /** The run is lost, and may still be ours: it is free for others. */
  giveUp(run: HostedRun): void
  /** The store may not be closed before. */
  awaitBeforeClose(work: Promise<unknown>): void
}
