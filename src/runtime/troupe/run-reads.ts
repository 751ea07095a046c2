/** The reads of passivated runs. A read that takes long goes on by itself, and the next run is read meanwhile. */
import type { Clock } from '../clock.ts'
import type { HostedRun } from '../run/run-host.ts'

export interface RunReadsOptions {
  readonly clock: Clock
  /** Milliseconds after which a read is no longer waited for. */
  readonly patience: number
  /** Its promise settles in any case. */
  readonly read: (run: HostedRun) => Promise<void>
}

export class RunReads {
  readonly #options: RunReadsOptions
  readonly #underWay = new Map<HostedRun, Promise<void>>()
  /** The error of the last read of a run, until a caller gets it. */
  readonly #errors = new WeakMap<HostedRun, unknown>()

  constructor(options: RunReadsOptions) {
    this.#options = options
  }

  isUnderWay(run: HostedRun): boolean {
    return this.#underWay.has(run)
  }

  /**
   * Reads a run, after the read of it that is under way. Resolves when the run is read, or when the patience is over: gives
   * whether it is read. Rejects as that read does, or as the one before it did that was no longer waited for.
   */
  async read(run: HostedRun): Promise<boolean> {
    const before = this.#underWay.get(run)
    if (before !== undefined) await this.#wait(before)
    this.#throwError(run)
    if (this.#underWay.has(run)) return false
    await this.#wait(this.#begin(run))
    this.#throwError(run)
    return !this.#underWay.has(run)
  }

  #begin(run: HostedRun): Promise<void> {
    const ended = this.#options
      .read(run)
      .catch((error: unknown) => void this.#errors.set(run, error))
      .finally(() => this.#underWay.delete(run))
    this.#underWay.set(run, ended)
    return ended
  }

  #throwError(run: HostedRun): void {
    if (!this.#errors.has(run)) return
    const error = this.#errors.get(run)
    this.#errors.delete(run)
    throw error
  }

  async #wait(ended: Promise<void>): Promise<void> {
    const { clock, patience } = this.#options
    const over = Promise.withResolvers<void>()
    const callOff = clock.after(patience, over.resolve, { background: true })
    await Promise.race([ended, over.promise])
    callOff()
  }
}
