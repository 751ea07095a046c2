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
  /** Throws where the troupe takes the run no more. */
  readonly assertTakes: (runId: string) => void
}

export class ChosenIds {
  readonly #options: ChosenIdsOptions
  /** Starts that are under way. Each promise resolves when its start has settled. */
  readonly #starting = new Map<string, Promise<void>>()

  constructor(options: ChosenIdsOptions) {
    this.#options = options
  }

  /**
   * Rejects with a `RunExistsError`, and otherwise as `start` of the run does. A start under the same id that is under way
   * here comes first: by then its run is on record, or it has failed and the id is free.
   */
  async start(run: Startable): Promise<void> {
    const { id } = run
    for (let earlier; (earlier = this.#starting.get(id)) !== undefined;) await earlier
    const starting = this.#startNow(run)
    const settled = starting.then(
      () => undefined,
      () => undefined,
    )
    this.#starting.set(id, settled)
    try {
      await starting
    } finally {
      this.#starting.delete(id)
    }
  }

  async #startNow(run: Startable): Promise<void> {
    const { id } = run
    const { isHere, assertTakes } = this.#options
    assertTakes(id)
    if (isHere(id) || (await this.#isStored(id))) throw new RunExistsError(id)
    assertTakes(id)
    if (isHere(id)) throw new RunExistsError(id) // another process has started it, and it came here meanwhile
    try {
      await run.start()
    } catch (error) {
      throw error instanceof LeaseLostError ? new RunExistsError(id) : error
    }
  }

  /** Reads no entry: a journal ends before this position. */
  async #isStored(id: string): Promise<boolean> {
    return (await this.#options.store.read(id, Number.MAX_SAFE_INTEGER)) !== undefined
  }
}
