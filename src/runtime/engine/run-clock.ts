/** The clock of one run: where the given clock is behind the journal, the time of the journal goes on. */
import { notBefore, type Clock } from '../clock.ts'

export class RunClock implements Clock {
  readonly #given: Clock
  #clock: Clock

  constructor(given: Clock) {
    this.#given = given
    this.#clock = given
  }

  now(): number {
    return this.#clock.now()
  }

  after(delay: number, callback: () => void): () => void {
    return this.#clock.after(delay, callback)
  }

  /** Never goes below `at`, the time of the last entry of a journal. */
  continueFrom(at: number): void {
    this.#clock = notBefore(this.#given, at)
  }
}
