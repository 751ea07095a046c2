/** The interface between a troupe, its runs, and the parts of the troupe that look after them. */
import type { InspectionEvent } from 'xstate'
import type { Prompt } from '../../actors/message.ts'
import type { TraceContext } from '../../actors/strict/trace-context.ts'
import type { TroupeError } from '../../errors.ts'
import type { InterpreterName } from '../interpreter/interpreter.ts'
import type { Nest, Perform } from '../engine/effects/perform.ts'
import type { Observer } from '../engine/around/observer.ts'
import type { Clock } from '../clock.ts'
import type { Committer } from '../journal/committer.ts'
import type { AgentDefinition } from '../definition/definition.ts'
import type { Environment } from '../environment.ts'
import type { SignalQueue } from './signal-queue.ts'
import type { Epochs } from '../journal/epochs.ts'
import type { Claiming, Kept, LeaseKeeper } from './lease-keeper.ts'
import type { AgentRegistry } from '../definition/registry.ts'
import type { OnDrift } from '../program/recorded.ts'
import type { Reporter } from '../report.ts'
import type { EventLog } from '../handle/event-log.ts'
import type { OtherProtocols } from './other-protocols.ts'
import type { Run, RunSignal } from '../handle/run.ts'
import type { EffectUnderWay } from '../engine/effects/under-way.ts'
import type { JournalEntry, RunStarted } from '../journal/journal.ts'
import type { RunSummary } from '../journal/run-index.ts'
import type { Claimed, Store } from '../journal/store.ts'
import type { TenantMeter } from '../engine/effects/tenant-meter.ts'
import type { RunSpec } from './create-run.ts'

/** A run in memory, as its draining troupe sees it. */
export interface DrainedRun {
  readonly id: string
  /** Whether nothing that has begun is under way: it may be released. */
  readonly isQuiet: boolean
  /** Effects that have begun and not ended. */
  readonly underWay: readonly EffectUnderWay[]
  /** Whether a call is under way that a closing troupe lets end. */
  readonly owesCall: boolean
  readonly hasEnded: boolean
  /** Whether this process cannot follow it any more. */
  readonly isLost: boolean
  /** Begins no more effects, and calls `onTurn` after each turn. `undefined`: it begins effects again. */
  pause(onTurn: (() => void) | undefined): void
}

/** A run, as its troupe sees it. */
export interface HostedRun extends Kept, DrainedRun {
  readonly id: string
  readonly run: Run
  readonly started: RunStarted
  readonly eventLog: EventLog
  /** It had ended in another process when it was loaded: nothing of it goes on here. */
  readonly hadEnded: boolean
  /** Whether it must not be forgotten: it has functions that no journal holds, or a caller that waits. */
  readonly isNeeded: boolean
  signal(signal: RunSignal): Promise<void>
  /** Revives it when it is passivated. The signal `first` comes before anything of it starts. */
  revive(first?: RunSignal, claiming?: Claiming): Promise<void>
  /** Sets the trace context of its effects from now on. */
  trace(trace: TraceContext): void
  /** Cancels it when this signal fires, or has fired. */
  heed(signal: AbortSignal): void
  /** Loads a passivated run again if it has ended in another process. */
  catchUp(): Promise<void>
  /** Passivates a suspended run now. Returns whether it has left memory by that. */
  leaveMemory(): boolean
  /** Aborts the effects in progress; entries that were appended are still delivered. `reason`: of their signals. */
  halt(reason: TroupeError): void
  /** Gives it up as it is: its callers are rejected with the error. */
  lose(error: TroupeError): void
  /** Counts its usage in the budget of the run that began it, where it is not counted yet. */
  spendsWithin(within: NonNullable<RunSpec['spendsWithin']>): void
  /** The error for which this process cannot follow it any more, if there is one. */
  readonly loss: TroupeError | undefined
  /** Throws the error for which this process cannot follow it any more, if there is one. */
  assertFollowed(): void
}

/** The part of a troupe in hot reload, beside newer and older troupes of its process. */
export interface Reloading {
  /** Leaves a run that is due to a newer troupe. `false`: none can go on with it. */
  handOn(runId: string): Promise<boolean>
  /** Lets older troupes begin to release those of these runs that can go on here. */
  prepare(runs: readonly RunSummary[]): void
  /** The run does not go on here, by this error, and is free: the troupe that has released it to this one goes on with it. */
  giveBack(runId: string, error: unknown): Promise<void>
}

/** A troupe, as its runs and its parts see it. */
export interface RunHost {
  readonly registry: AgentRegistry
  /** Registers an agent that comes with a run; absent in a troupe whose agents are named beforehand. */
  readonly admit: ((agent: AgentDefinition, where: string) => void) | undefined
  readonly store: Store
  readonly environment: Environment
  /** The clock of the runs. */
  readonly clock: Clock
  readonly committer: Committer
  readonly queue: SignalQueue
  readonly onDrift: OnDrift
  readonly keeper: LeaseKeeper
  readonly epochs: Epochs
  readonly otherProtocols: OtherProtocols
  readonly inspect: ((event: InspectionEvent) => void) | undefined
  readonly observers: readonly Observer[]
  readonly interpreter: InterpreterName | undefined
  /** The budgets of tenants; `undefined`: they have none. */
  readonly tenants: TenantMeter | undefined
  /** Performs effects in place of the real performers. */
  readonly door: Perform | undefined
  readonly report: Reporter
  /** Milliseconds that a suspended run stays in memory. */
  readonly passivateAfter: number
  /** Milliseconds between two looks at the store. */
  readonly pollInterval: number
  readonly isClosed: boolean
  /** Fires when the troupe is closed. */
  readonly closing: AbortSignal
  /** Whether it takes runs and works on them: it neither drains nor is closed. */
  readonly isOpen: boolean
  /** Throws when the troupe was closed. */
  assertOpen(): void
  /** Throws also when the troupe drains, unless a call under way here follows this run. */
  assertTakes(runId?: string): void
  /** Throws a `ConfigurationError` for an agent that the troupe does not have. */
  assertKnown(agent: AgentDefinition): void
  /** The store is not closed before `work` has settled. */
  awaitBeforeClose(work: Promise<unknown>): void

  /** Begins the runs of the tools and workflows of runs. */
  readonly nest: Nest
  /** Makes the specification of a new run. Throws a `ConfigurationError`. */
  begin(agent: AgentDefinition, prompt: Prompt, options: object, stream: boolean, clock: Clock): RunSpec
  /** Makes the specification of a run from its journal. Throws a `ConfigurationError`. */
  restoredSpec(journal: readonly JournalEntry[], options: object): RunSpec
  /** Takes the lease of a run. Rejects with a `RunOwnedError`, and a worker with a `RunLeftError`. */
  claim(runId: string, claiming?: Claiming): Promise<Claimed>
  /** Returns the run, live in this process, or as it ended. The signal `first` comes before anything of it starts. */
  resume(runId: string, options?: object, first?: RunSignal): Promise<HostedRun>
  /** Goes on with a run that is due, here or in a newer troupe of this process. */
  wake(runId: string): Promise<void>
  /** Absent: the troupe takes no part in hot reload. */
  readonly reload: Reloading | undefined
  /** Whether the run is in memory. */
  isLive(runId: string): boolean
  /** Revives a suspended run when a timer of it is due. */
  wakeAt(runId: string, at: number | undefined): void
  /** Rejects with a `RunNotFoundError`. */
  journal(runId: string): Promise<readonly JournalEntry[]>
  /** Queues a signal for a run of another troupe. Rejects with a `SignalError` where the run does not wait for it. */
  route(runId: string, signal: RunSignal): Promise<void>
  /** Passes on the queued signals of runs that may have no owner. */
  hear(runIds: readonly string[]): Promise<void>

  /** The run is live here from now on. */
  entered(run: HostedRun): void
  /** The run was passivated, and must be revived at `wakeAt` at the latest. */
  passivated(run: HostedRun, until: { readonly wakeAt?: number }): void
  /** A passivated run must not be forgotten: a caller waits for it. */
  holdOn(run: HostedRun): void
  /** The run has ended, or is lost. */
  left(run: HostedRun): void
  /** The run is lost, and this troupe may still own it: its lease is released. */
  giveUp(run: HostedRun): void
}
