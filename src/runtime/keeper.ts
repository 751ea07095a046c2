/**
 * Keeps what a troupe owns: it renews the leases of the runs that are live here, and fetches what other processes
 * posted to them. Leases are about processes, so they go by the machine's clock, whatever the clock of the troupe.
 */
import { inBackground } from './clock.ts'
import { report } from './report.ts'
import type { RunSignal } from './run.ts'
import type { Lease, RunStore } from './store.ts'

export interface Kept {
  readonly lease: Lease
  posted(signal: RunSignal): void
  /** Another troupe has taken the run. */
  lost(): void
}

export interface KeeperOptions {
  /** Names this troupe in this process. */
  readonly owner: string
  /** Milliseconds until a run whose owner has gone may be taken by another. */
  readonly leaseTtl: number
  /** Milliseconds between two looks at the post. */
  readonly pollInterval: number
}

export class Keeper {
  readonly owner: string
  readonly #store: RunStore
  readonly #options: KeeperOptions
  readonly #kept = new Map<string, Kept>()
  #timer: ReturnType<typeof setTimeout> | undefined
  #renewedAt = 0

  constructor(store: RunStore, options: KeeperOptions) {
    this.owner = options.owner
    this.#store = store
    this.#options = options
  }

  get pollInterval(): number {
    return this.#options.pollInterval
  }

  get leases(): Lease[] {
    return Array.from(this.#kept.values(), ({ lease }) => lease)
  }

  /** When a lease that is taken now runs out. */
  expiry(): number {
    return Date.now() + this.#options.leaseTtl
  }

  claim(runId: string): Promise<Lease | undefined> {
    return this.#store.claim(runId, this.owner, Date.now(), this.expiry())
  }

  keep(kept: Kept): void {
    if (this.#kept.size === 0) this.#renewedAt = Date.now()
    this.#kept.set(kept.lease.runId, kept)
    this.#schedule()
  }

  /** The run is settled, parked or lost. */
  drop({ lease }: Kept): void {
    if (this.#kept.get(lease.runId)?.lease !== lease) return
    this.#kept.delete(lease.runId)
    if (this.#kept.size > 0) return
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  /** A troupe does not keep a process alive by what it keeps. */
  #schedule(): void {
    if (this.#timer !== undefined) return
    const look = (): void => {
      this.#look().then(
        () => this.#again(),
        (error: unknown) => {
          report('the store could not be asked for signals and leases; trying again', error)
          this.#again()
        },
      )
    }
    this.#timer = inBackground(setTimeout(look, this.#options.pollInterval))
  }

  #again(): void {
    this.#timer = undefined
    if (this.#kept.size > 0) this.#schedule()
  }

  async #look(): Promise<void> {
    if (Date.now() - this.#renewedAt >= this.#options.leaseTtl / 3) {
      const renewedAt = Date.now()
      for (const runId of await this.#store.renew(this.leases, this.expiry())) this.#kept.get(runId)?.lost()
      this.#renewedAt = renewedAt
    }
    for (const { runId, signal } of await this.#store.collect([...this.#kept.keys()])) {
      this.#kept.get(runId)?.posted(signal)
    }
  }
}
