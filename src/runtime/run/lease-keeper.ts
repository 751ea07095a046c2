/**
 * Keeps what a troupe owns: it renews the leases of the runs that are live here, and fetches the signals that other
 * processes queued for them. Leases are about processes, so they go by the clock of the environment, not by that of the runs.
 */
import type { TroupeError } from '../../errors.ts'
import type { Environment } from '../environment.ts'
import type { SignalQueue } from './signal-queue.ts'
import { storeFailure } from '../journal/lost-run.ts'
import { Patience } from '../timeout-ms.ts'
import type { Reporter } from '../report.ts'
import type { Claimed, Lease, QueuedSignal, RunStore } from '../journal/store.ts'

export interface Kept {
  readonly lease: Lease
  /** Whether its `run.started` is in the store: before that nobody can take it, and the store does not know it. */
  readonly isOnRecord: boolean
  queued(queued: QueuedSignal): void
  /** Another troupe has taken the run. */
  lost(): void
  /** The run cannot be followed any more. */
  lose(error: TroupeError): void
}

export interface KeeperOptions {
  readonly environment: Environment
  /** Milliseconds until a run whose owner has gone may be taken by another. */
  readonly leaseTtl: number
  /** Milliseconds between two polls of the queue. */
  readonly pollInterval: number
  /** A signal was fetched for a run that is not kept any more. */
  readonly onStray: (queued: QueuedSignal) => void
  readonly report: Reporter
}

/** A lease that is dated further ahead was given by a clock that was wrong. Milliseconds. */
const longestLease = 3_600_000

export class LeaseKeeper {
  /** Names this troupe in this process. */
  readonly owner: string
  readonly #store: RunStore
  readonly #queue: SignalQueue
  readonly #options: KeeperOptions
  readonly #patience: Patience
  readonly #kept = new Map<string, Kept>()
  /** Until when each of them is ours for certain. */
  readonly #until = new Map<string, number>()
  #callOffLook: (() => void) | undefined
  #renewedAt = 0

  constructor(store: RunStore, queue: SignalQueue, options: KeeperOptions) {
    this.owner = options.environment.newId()
    this.#store = store
    this.#queue = queue
    this.#options = options
    this.#patience = new Patience(options.environment.clock, options.leaseTtl)
  }

  get #now(): number {
    return this.#options.environment.clock.now()
  }

  get pollInterval(): number {
    return this.#options.pollInterval
  }

  get leases(): Lease[] {
    return Array.from(this.#kept.values(), ({ lease }) => lease)
  }

  /** When a lease that is taken now runs out. */
  expiry(): number {
    return this.#now + this.#options.leaseTtl
  }

  claim(runId: string): Promise<Claimed | undefined> {
    const farthest = this.#now + Math.max(longestLease, 2 * this.#options.leaseTtl)
    return this.#store.claim(runId, this.owner, this.#now, this.expiry(), farthest)
  }

  keep(kept: Kept): void {
    if (this.#kept.size === 0) this.#renewedAt = this.#now
    this.#kept.set(kept.lease.runId, kept)
    this.#until.set(kept.lease.runId, kept.lease.expiresAt)
    this.#schedule()
  }

  /** The run is settled, parked or lost. */
  drop({ lease }: Kept): void {
    if (this.#kept.get(lease.runId)?.lease !== lease) return
    this.#kept.delete(lease.runId)
    this.#until.delete(lease.runId)
    this.#queue.forget(lease.runId)
    if (this.#kept.size > 0) return
    this.#callOffLook?.()
    this.#callOffLook = undefined
  }

  /** Whether the run is ours, by the clock alone: a process that stood still may have lost it without knowing. */
  isCurrent(runId: string): boolean {
    const until = this.#until.get(runId)
    return until === undefined || this.#now < until
  }

  /** Asks the store, and tells the run when it is lost. */
  async confirm(runId: string): Promise<void> {
    const kept = this.#kept.get(runId)
    if (kept !== undefined) await this.#renew([kept.lease])
  }

  async #renew(leases: readonly Lease[]): Promise<void> {
    const until = this.expiry()
    const lost = new Set(await this.#store.renew(leases, until))
    for (const lease of leases) {
      const kept = this.#kept.get(lease.runId)
      if (kept?.lease !== lease) continue // it may have been parked and taken again meanwhile, by us
      if (lost.has(lease.runId)) kept.lost()
      else this.#until.set(lease.runId, until)
    }
  }

  /** A troupe does not keep a process alive by what it keeps. */
  #schedule(): void {
    if (this.#callOffLook !== undefined) return
    const look = (): void => {
      this.#look().then(
        () => this.#again(),
        (error: unknown) => {
          const message = 'the store could not be asked for signals and leases; trying again'
          this.#options.report({ message, where: 'store', error })
          if (this.#patience.failed()) this.#loseAll(error)
          this.#again()
        },
      )
    }
    const { environment, pollInterval, leaseTtl } = this.#options
    const delay = Math.min(pollInterval, leaseTtl / 3)
    this.#callOffLook = environment.clock.after(delay, look, { background: true })
  }

  /** The store has failed for longer than a lease lasts: whose the runs are is not known any more. */
  #loseAll(error: unknown): void {
    for (const kept of this.#kept.values()) {
      if (kept.isOnRecord)
        kept.lose(storeFailure(kept.lease.runId, 'The store did not renew the lease', error))
    }
  }

  #again(): void {
    this.#callOffLook = undefined
    if (this.#kept.size > 0) this.#schedule()
  }

  async #look(): Promise<void> {
    // Also after the clock was set back: what is dated by the wrong time is not ours for long.
    if (Math.abs(this.#now - this.#renewedAt) >= this.#options.leaseTtl / 3) {
      const renewedAt = this.#now
      await this.#renew([...this.#kept.values()].flatMap((kept) => (kept.isOnRecord ? [kept.lease] : [])))
      this.#renewedAt = renewedAt
    }
    for (const queued of await this.#queue.fetch([...this.#kept.keys()])) {
      const kept = this.#kept.get(queued.runId)
      if (kept === undefined) this.#options.onStray(queued)
      else kept.queued(queued)
    }
    this.#patience.succeeded()
  }
}
