/**
 * The starts of runs whose ids were chosen. The store is asked before such a run begins, so that nothing of a repeated
 * start is performed; where two processes start the same run at once, the store refuses the journal of one of them.
 */
import { LeaseLostError, RunExistsError } from '../../errors.ts'
import type { Store } from '../journal/store.ts'

/** A run that was not started yet. */
interface Startable {
  readonly id: string
  start(): Promise<void>
}

export interface ChosenIdsOptions {
  readonly store: Pick<Store, 'read'>
  /** Whether a run is in memory or passivated in this process. */
  readonly isHere: (runId: string) => boolean
  /** Throws after the troupe was closed. */
  readonly assertOpen: () => void
}

export class ChosenIds {
  readonly #options: ChosenIdsOptions
  readonly #starting = new Set<string>()

  constructor(options: ChosenIdsOptions) {
    this.#options = options
  }

  /** Rejects with a `RunExistsError`, and otherwise as `start` of the run does. */
  async start(run: Startable): Promise<void> {
    const { id } = run
    const { isHere } = this.#options
    if (this.#starting.has(id) || isHere(id)) throw new RunExistsError(id)
    this.#starting.add(id)
    try {
      if (await this.#isStored(id)) throw new RunExistsError(id)
      this.#options.assertOpen()
      if (isHere(id)) throw new RunExistsError(id) // another process has started it, and it came here meanwhile
      await run.start()
    } catch (error) {
      throw error instanceof LeaseLostError ? new RunExistsError(id) : error
    } finally {
      this.#starting.delete(id)
    }
  }

  /** Reads no entry: a journal ends before this position. */
  async #isStored(id: string): Promise<boolean> {
    return (await this.#options.store.read(id, Number.MAX_SAFE_INTEGER)) !== undefined
  }
}
