/** The reads of passivated runs. A read that takes long goes on by itself, and the next run is read meanwhile. */
import type { Clock } from '../clock.ts'
import type { HostedRun } from '../run/run-host.ts'

export interface RunReadsOptions {
  readonly clock: Clock
  /** Milliseconds after which a read is no longer waited for. */
  readonly patience: number
  readonly read: (run: HostedRun) => Promise<void>
}

interface Read {
  /** Milliseconds since 1970. */
  readonly since: number
  readonly ended: Promise<void>
}

export class RunReads {
  readonly #options: RunReadsOptions
  readonly #underWay = new Map<HostedRun, Read>()
  /** The error of the last read of a run, until a caller gets it. */
  readonly #errors = new WeakMap<HostedRun, unknown>()

  constructor(options: RunReadsOptions) {
    this.#options = options
  }

  /** For how many milliseconds the run is being read; `undefined`: it is not. */
  duration(run: HostedRun): number | undefined {
    const read = this.#underWay.get(run)
    return read && this.#options.clock.now() - read.since
  }

  /**
   * Reads a run, after the read of it that is under way. Resolves when the run is read, or when the patience is over.
   * Rejects as that read does, or as the one before it did that was no longer waited for.
   */
  async read(run: HostedRun): Promise<void> {
    const before = this.#underWay.get(run)
    if (before !== undefined) await this.#wait(before)
    this.#throwError(run)
    if (this.#underWay.has(run)) return
    await this.#wait(this.#begin(run))
    this.#throwError(run)
  }

  /** The store does not answer: the read counts no more. */
  forget(run: HostedRun): void {
    this.#underWay.delete(run)
  }

  #begin(run: HostedRun): Read {
    const { clock, read } = this.#options
    const end = (): void => {
      if (this.#underWay.get(run) === begun) this.#underWay.delete(run)
    }
    const ended = read(run).then(end, (error: unknown) => {
      this.#errors.set(run, error)
      end()
    })
    const begun: Read = { since: clock.now(), ended }
    this.#underWay.set(run, begun)
    return begun
  }

  #throwError(run: HostedRun): void {
    if (!this.#errors.has(run)) return
    const error = this.#errors.get(run)
    this.#errors.delete(run)
    throw error
  }

  async #wait({ ended }: Read): Promise<void> {
    const { clock, patience } = this.#options
    const over = Promise.withResolvers<void>()
    const callOff = clock.after(patience, over.resolve, { background: true })
    await Promise.race([ended, over.promise])
    callOff()
  }
}
