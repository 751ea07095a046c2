/**
 * How often a workflow is looked at: at each look while it moves, and then ever more seldom, so that many that do nothing
 * cost little. One that has been quiet for so many looks is left out for half as many.
 */
const longestRest = 40

export class PollSchedule {
  /** Looks since it was seen to move. */
  #quiet = 0
  /** Looks to be left out yet. */
  #rest = 0

  /** Whether it is to be read at this look. */
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

  /** It may have been told something. */
  wake(): void {
    this.#quiet = 0
    this.#rest = 0
  }
}
