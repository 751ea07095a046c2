/** The options of an engine. */
import type { TroupeError } from '../../errors.ts'
import type { TraceContext } from '../../actors/strict/trace-context.ts'
import type { AgentOutput } from '../../machines/contract/records.ts'
import type { AsyncContext } from '../async-context.ts'
import type { Clock } from '../clock.ts'
import type { Committer } from '../journal/committer.ts'
import type { ConfigStorage } from '../journal/config-storage.ts'
import type { AgentPartsOf } from '../definition/definition.ts'
import type { Observer } from './around/observer.ts'
import type { Nest, Perform } from './effects/perform.ts'
import type { PendingEffect } from '../state/effects/pending-effect.ts'
import type { Environment } from '../environment.ts'
import type { BlobAccess } from '../files/blob-storage.ts'
import type { TenantDesk } from './effects/tenant-meter.ts'
import type { PromptFiles } from '../files/prompt-files.ts'
import type { MemoryStorage } from '../journal/memory-storage.ts'
import type { SupervisorOptions } from '../options/options.ts'
import type { OnDrift } from '../program/recorded.ts'
import type { Lease, QueuedSignal } from '../journal/store.ts'

/**
 * The state of the leases of runs. A process that stood still checks it before it starts an effect: another process may
 * own the run by now.
 */
export interface Ownership {
  isCurrent(runId: string): boolean
  /** Resolves when the lease is confirmed, or the run has been reported as lost. */
  confirm(runId: string): Promise<void>
}

/** The object that an engine tells of its run. One object, and not a function for each: every run has them. */
export interface EngineListener {
  /** `run.started` is durable. */
  onStarted?(): void
  onSuspended?(): void
  onSettled?(output: AgentOutput): void
  /** The root actor was told to cancel, or was stopped, after the engine was abandoned: the run may go on without it. */
  onRootCancelled?(reason: string): void
  /** The run cannot go on in this process. After `onSettled` the engine tells only of late outcomes that are not on record. */
  onLost?(error: TroupeError): void
  /** Queued answers come before entries of the run; the store may have told of them with a refused append. */
  onOvertaken?(answers: readonly QueuedSignal[]): void
  /** A queued answer that the store has accepted does not fit the run. */
  onRefused?(queued: QueuedSignal, error: unknown): void
}

export interface EngineOptions {
  /** Default: that of this process. */
  readonly environment?: Environment
  /** The time of the run. */
  readonly clock: Clock
  /** The async context of a run that goes on. Default: that of each call of the engine. */
  readonly context?: AsyncContext
  /** The options that were given with the run; they hold its functions. */
  readonly functions: SupervisorOptions
  readonly committer: Pick<Committer, 'append'> & Partial<Pick<Committer, 'index'>>
  /** The run has begun before, and the index of the store may have questions of it. Default: `false`. */
  readonly isResumed?: boolean
  /** The right to append. Default: the first lease of a run that no other process can see. */
  readonly lease?: Lease
  /** The epoch of the store, where the run has begun before. Default: 0. */
  readonly epoch?: number
  /** Whether the lease is still current. Default: it is. */
  readonly ownership?: Ownership
  /** Whether functions of the run may make an agent otherwise than its journal says. Default: `continue`. */
  readonly onDrift?: OnDrift
  /** Observers of the effects that are performed, and of the agents that are at work. Default: none. */
  readonly observers?: readonly Observer[]
  /** Where threads and working memory are kept. */
  readonly memory?: MemoryStorage | undefined
  /** Where the bytes of files are kept. */
  readonly blobs?: BlobAccess
  /** The files of the prompt: stored before the run begins. */
  readonly promptFiles?: PromptFiles
  /** Where configuration is kept. */
  readonly config?: ConfigStorage | undefined
  /** Resolves the parts of an agent whose parts are functions of the run. */
  readonly agentParts?: AgentPartsOf
  /** Begins the runs of tools and workflows. Absent: they can begin none. */
  readonly nest?: Nest
  /** Default: the engine tells nobody. */
  readonly listener?: EngineListener
  /** Default: the real performers. The test kit holds every effect until it settles it. */
  readonly perform?: Perform
  /**
   * `perform` keeps the deadlines of effects itself, by the clock of the host: for engines in which each effect is a
   * durable step. Default: `false`.
   */
  readonly performKeepsDeadlines?: boolean
  /** Whether the start of a tool is recorded before it runs. Default: for every tool. */
  readonly recordsStart?: (effect: PendingEffect) => boolean
  /** The trace context of the effects of a part: that of the agent that started it. Default: that of the run. */
  readonly partTrace?: TraceContext | undefined
  /** Reserves model calls in the budget of the tenant. Absent: tenants have none. */
  readonly tenants?: TenantDesk | undefined
}
