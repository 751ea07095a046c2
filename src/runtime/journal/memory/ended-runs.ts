/** The ids of the newest ended runs, in the order in which they ended: a run beyond their number is forgotten. */
export class EndedRuns {
  readonly #most: number
  readonly #ids = new Set<string>()

  constructor(most: number) {
    this.#most = most
  }

  /** Adds a run that has ended. Returns the run to forget, if there are too many. */
  add(runId: string): string | undefined {
    this.#ids.add(runId)
    if (this.#ids.size <= this.#most) return undefined
    const [oldest] = this.#ids
    if (oldest !== undefined) this.#ids.delete(oldest)
    return oldest
  }

  remove(runId: string): void {
    this.#ids.delete(runId)
  }
}
