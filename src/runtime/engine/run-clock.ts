/**
 * The clock of one run, and the times of its entries: where the given clock is behind the journal, the time of the
 * journal goes on.
 */
import { inContextHere } from '../async-context.ts'
import { notBefore, type Clock } from '../clock.ts'

export class RunClock implements Clock {
  readonly #given: Clock
  #clock: Clock
  /** The time of the last entry. */
  #last: number

  constructor(given: Clock, startedAt: number) {
    this.#given = given
    this.#clock = given
    this.#last = startedAt
  }

  now(): number {
    return this.#clock.now()
  }

  /** Calls back in the async context of the caller, whoever advances the clock. */
  after(delay: number, callback: () => void): () => void {
    return this.#clock.after(delay, inContextHere(callback))
  }

  /** The last entry of the journal has the time `at`: the clock is not behind it. */
  continueFrom(at: number): void {
    this.#last = at
    this.#clock = notBefore(this.#given, at)
  }

  /** The time of the next entry. `at`: the time of the entry that it is inserted before. Default: now. */
  entryTime(at = Math.max(this.#last, this.now())): number {
    this.#last = Math.max(this.#last, at)
    return at
  }
}
