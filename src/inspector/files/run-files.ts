/** The run files that are in use: one for all readers of a run. It stays for a short while after the last reader has left. */
import { startTimer } from '../../kit/index.ts'
import { RunFile, type RunFileOptions } from './run-file.ts'

/** Milliseconds: a page that is loaded again, or that goes from one run to another and back, finds the file. */
const grace = 10_000

interface Held {
  readonly file: RunFile
  users: number
  /** Stops the timer after which it leaves. */
  stay: (() => void) | undefined
}

export class RunFiles {
  readonly #options: RunFileOptions
  readonly #held = new Map<string, Held>()

  constructor(options: RunFileOptions) {
    this.#options = options
  }

  /** Uses the file of a run until the work is done. Rejects with the error for which the run cannot be read. */
  async use<Result>(
    runId: string,
    work: (file: RunFile) => Promise<Result>,
    from: 'begun' | 'opened' = 'opened',
  ): Promise<Result> {
    const { file, release } = await this.open(runId, from)
    try {
      return await work(file)
    } finally {
      release()
    }
  }

  /**
   * The file of a run, until it is released: from its first rows on, or with all rows that are on record. Rejects with the
   * error for which the run cannot be read.
   */
  async open(
    runId: string,
    from: 'begun' | 'opened' = 'opened',
  ): Promise<{ readonly file: RunFile; readonly release: () => void }> {
    const held = this.#take(runId)
    try {
      await held.file[from]
      held.file.assertThere() // since
      return { file: held.file, release: () => this.#release(held) }
    } catch (error) {
      this.#drop(held) // the next request tries again
      throw error
    }
  }

  /** Ends the file of a run that was deleted. */
  forget(runId: string): void {
    const held = this.#held.get(runId)
    if (held !== undefined) this.#drop(held)
  }

  /** Ends all of them. */
  close(): void {
    for (const held of this.#held.values()) this.#drop(held)
  }

  #take(runId: string): Held {
    const known = this.#held.get(runId)
    const held = known ?? { file: new RunFile(runId, this.#options), users: 0, stay: undefined }
    this.#held.set(runId, held)
    held.stay?.()
    held.users++
    return held
  }

  #release(held: Held): void {
    if (--held.users > 0 || this.#held.get(held.file.runId) !== held) return
    held.stay = startTimer(grace, () => this.#drop(held), { background: true })
  }

  #drop(held: Held): void {
    const { file } = held
    held.stay?.()
    file.drop()
    if (this.#held.get(file.runId) === held) this.#held.delete(file.runId)
  }
}
