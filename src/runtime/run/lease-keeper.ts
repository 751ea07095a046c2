/**
 * Renews the leases of live runs, and fetches signals that other processes queued for them: when the store tells of one,
 * and by polls. Leases are held by processes, so they use the clock of the environment, not that of the runs.
 */
import { SlotMap } from '../../actors/values/slot-map.ts'
import { RunLeftError, RunOwnedError, type TroupeError } from '../../errors.ts'
import { noContext } from '../async-context.ts'
import type { Environment } from '../environment.ts'
import type { Epochs } from '../journal/epochs.ts'
import type { SignalQueue } from './signal-queue.ts'
import { storeFailure } from '../journal/lost-run.ts'
import { answered, pollPatience, StoreOutage } from '../store-outage.ts'
import type { Reporter } from '../report.ts'
import { released, type Claimed, type Lease, type QueuedSignal, type RunStore } from '../journal/store.ts'
import { StoreSubscription } from '../journal/store-subscription.ts'
import { ToldRuns } from './told-runs.ts'

/** `unlessLeft`: the claim of a worker. `always`: the claim for a caller that asks for this run. */
export type Claiming = 'unlessLeft' | 'always'

export interface Kept {
  readonly lease: Lease
  /**
   * Whether its `run.started` is in the store: before, no other troupe can claim it, and the store does not know it.
   */
  readonly isOnRecord: boolean
  queued(queued: QueuedSignal): void
  /** Called when another troupe has taken the run. */
  lost(): void
  /** Called when this process cannot follow the run any more. */
  lose(error: TroupeError): void
}

export interface KeeperOptions {
  readonly environment: Environment
  /** Milliseconds until another troupe may take a run whose owner has gone. */
  readonly leaseTtl: number
  /** Milliseconds between two polls of the queue. */
  readonly pollInterval: number
  readonly epochs: Epochs
  /** Asks older troupes of this process, which hot reload has left, for a run that is owned. `true`: it is released now. */
  readonly takeOver?: ((runId: string) => Promise<boolean>) | undefined
  /** Called with a signal that was fetched for a run whose lease is no longer kept. */
  readonly onStray: (queued: QueuedSignal) => void
  readonly report: Reporter
}

/** The longest valid lease, in milliseconds: a wrong clock made one that is dated further ahead. */
const longestLease = 3_600_000

/** The most claims of one run that follow releases by older troupes of this process. */
const mostAttempts = 3

export class LeaseKeeper {
  #owner: string | undefined
  readonly #store: RunStore
  readonly #queue: SignalQueue
  readonly #options: KeeperOptions
  readonly #outage: StoreOutage
  readonly #kept = new SlotMap<Kept>()
  /** The time until which each lease is certain. */
  readonly #until = new Map<string, number>()
  #look: 'none' | 'underWay' | { readonly callOff: () => void } = 'none'
  #renewedAt = 0
  readonly #told = new ToldRuns((runIds) => this.#hear(runIds))
  readonly #subscription: StoreSubscription

  constructor(store: RunStore, queue: SignalQueue, options: KeeperOptions) {
    this.#store = store
    this.#queue = queue
    this.#options = options
    this.#subscription = new StoreSubscription({ store, report: options.report }, (runId, change) => {
      if (change === 'signals' && this.#kept.has(runId)) this.#told.tell(runId)
    })
    this.#outage = new StoreOutage(options.environment.clock, options.leaseTtl)
  }

  /** The id of this troupe in this process. Made when it is first needed: Workers give a module no random value while it loads. */
  get owner(): string {
    return (this.#owner ??= this.#options.environment.newId())
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

  /** The time at which a lease that is taken now expires. */
  expiry(): number {
    return this.#now + this.#options.leaseTtl
  }

  /** The last time at which a lease that is taken now can expire. */
  get #farthest(): number {
    return this.#now + Math.max(longestLease, 2 * this.#options.leaseTtl)
  }

  /**
   * As `claimFree`; a run of an older troupe is taken over. What comes between the release and the claim, a signal for
   * example, may bring it back there: it is asked for again.
   */
  async claim(runId: string, claiming?: Claiming): Promise<Claimed> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.claimFree(runId, claiming)
      } catch (error) {
        const mayAsk = error instanceof RunOwnedError && attempt < mostAttempts
        if (!mayAsk || (await this.#options.takeOver?.(runId)) !== true) throw error
      }
    }
  }

  /** Rejects with a `RunOwnedError`, and with a `RunLeftError` where a worker claims a run that is left. */
  async claimFree(runId: string, claiming: Claiming = 'unlessLeft'): Promise<Claimed> {
    const isWorker = claiming === 'unlessLeft'
    const expiresAt = this.expiry()
    const lease = await this.#store.claim(runId, this.owner, this.#now, expiresAt, this.#farthest, isWorker)
    if (lease !== undefined) return this.#read(lease)
    throw isWorker && (await this.isLeft(runId)) ? new RunLeftError(runId) : new RunOwnedError(runId)
  }

  /** What was raised before the claim counts for the run. */
  async #read(lease: Claimed): Promise<Claimed> {
    try {
      await this.#options.epochs.read()
      return lease
    } catch (error) {
      const { wasPassivated, ...taken } = lease
      await this.#store.renew([released(taken, wasPassivated)]).catch(() => undefined) // it runs out by itself
      throw error
    }
  }

  /** Whether the run is left by now. */
  async isLeft(runId: string): Promise<boolean> {
    const [summary] = (await this.#store.list('runs', { runId })).items
    const leftAt = summary?.leftAt
    return leftAt !== undefined && (leftAt <= this.#now || leftAt > this.#farthest)
  }

  keep(kept: Kept): void {
    if (this.#kept.size === 0) this.#renewedAt = this.#now
    this.#kept.set(kept.lease.runId, kept)
    this.#until.set(kept.lease.runId, kept.lease.expiresAt)
    this.#subscription.open()
    this.#schedule()
  }

  /** Stops the renewal of a run that is settled, passivated or lost. */
  drop({ lease }: Kept): void {
    if (this.#kept.get(lease.runId)?.lease !== lease) return
    this.#kept.delete(lease.runId)
    this.#until.delete(lease.runId)
    this.#queue.forget(lease.runId)
    if (this.#kept.size > 0) return
    this.#subscription.close()
    if (typeof this.#look === 'string') return
    this.#look.callOff()
    this.#look = 'none'
  }

  /** Whether the lease is current, by the clock alone: a process that stood still may have lost it without notice. */
  isCurrent(runId: string): boolean {
    const until = this.#until.get(runId)
    return until === undefined || this.#now < until
  }

  /** Renews the lease in the store; a run that is lost is notified. */
  async confirm(runId: string): Promise<void> {
    const kept = this.#kept.get(runId)
    if (kept !== undefined) await this.#renew([kept.lease])
  }

  async #renew(leases: readonly Lease[]): Promise<void> {
    const until = this.expiry()
    const lost = new Set(await this.#store.renew(leases.map((lease) => ({ ...lease, expiresAt: until }))))
    for (const lease of leases) {
      const kept = this.#kept.get(lease.runId)
      if (kept?.lease !== lease) continue // this troupe may have passivated and reclaimed it meanwhile
      if (lost.has(lease.runId)) kept.lost()
      else this.#until.set(lease.runId, until)
    }
  }

  /** Schedules the next poll. The leases of a troupe do not keep its process alive. */
  #schedule(): void {
    if (this.#look !== 'none') return
    const look = (): void => {
      this.#look = 'underWay'
      this.#answered(() => this.#poll()).then(
        () => this.#again(),
        (error: unknown) => {
          const message = 'the store could not be asked for signals and leases; trying again'
          this.#options.report({ message, code: 'LEASES_POLL_FAILED', where: 'store', error })
          if (this.#outage.failed()) this.#loseAll(error)
          this.#again()
        },
      )
    }
    const { environment, pollInterval, leaseTtl } = this.#options
    const delay = Math.min(pollInterval, leaseTtl / 3)
    const callOff = noContext.run(() => environment.clock.after(delay, look, { background: true }))
    this.#look = { callOff }
  }

  /** Loses all runs: the store has failed for longer than a lease lasts, and the owners are unknown. */
  #loseAll(error: unknown): void {
    for (const kept of this.#kept.values()) {
      if (kept.isOnRecord)
        kept.lose(storeFailure(kept.lease.runId, 'The store did not renew the lease', error))
    }
  }

  /** A store that answers nothing for the span of a lease, and for some seconds, has failed: the next poll asks again. */
  #answered(ask: () => Promise<void>): Promise<void> {
    const { environment, leaseTtl } = this.#options
    return answered(environment.clock, pollPatience(leaseTtl), ask)
  }

  #again(): void {
    this.#look = 'none'
    if (this.#kept.size > 0) this.#schedule()
  }

  async #poll(): Promise<void> {
    // Also after the clock was set back: a lease that is dated by the wrong time does not last.
    if (Math.abs(this.#now - this.#renewedAt) >= this.#options.leaseTtl / 3) {
      const renewedAt = this.#now
      await this.#renew([...this.#kept.values()].flatMap((kept) => (kept.isOnRecord ? [kept.lease] : [])))
      this.#renewedAt = renewedAt
    }
    await this.#fetch([...this.#kept.keys()])
    this.#outage.succeeded()
  }

  async #fetch(runIds: readonly string[]): Promise<void> {
    for (const queued of await this.#queue.fetch(runIds)) {
      const kept = this.#kept.get(queued.runId)
      if (kept === undefined) this.#options.onStray(queued)
      else kept.queued(queued)
    }
  }

  /** Fetches the signals that the store has told of; where that fails, the next poll does. */
  async #hear(runIds: readonly string[]): Promise<void> {
    try {
      await this.#answered(() => this.#fetch(runIds))
    } catch (error) {
      const message = 'the store could not be asked for a signal; the next poll asks again'
      this.#options.report({ message, code: 'SIGNALS_POLL_FAILED', where: 'store', error })
    }
  }
}
