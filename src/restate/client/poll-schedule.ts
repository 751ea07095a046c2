/**
 * The schedule by which a workflow is polled: at each poll while it makes progress, and then ever more rarely, so that
 * many idle workflows cost little. A workflow that has been quiet for some polls is skipped for half as many.
 */
const longestRest = 40

export class PollSchedule {
  /** Polls since its last progress. */
  #quiet = 0
  /** Polls that are still to be skipped. */
  #rest = 0

  /** Whether this poll reads the workflow. */
  isDue(): boolean {
    this.#quiet++
    if (this.#rest === 0) return true
    this.#rest--
    return false
  }

  wasRead(hasMoved: boolean): void {
    if (hasMoved) this.#quiet = 0
    this.#rest = Math.min(Math.floor(this.#quiet / 2), longestRest)
  }

  /** The workflow may have received a signal. */
  wake(): void {
    this.#quiet = 0
    this.#rest = 0
  }
}
