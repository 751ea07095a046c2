/** Limits how long a store may fail before handles are rejected: for the span of a lease, and at least three times. */
import type { Clock } from './clock.ts'

const fewestFailures = 3

export class StoreOutage {
  readonly #clock: Pick<Clock, 'now'>
  /** Milliseconds. */
  readonly #span: number
  #failures = 0
  #since = 0

  constructor(clock: Pick<Clock, 'now'>, span: number) {
    this.#clock = clock
    this.#span = span
  }

  succeeded(): void {
    this.#failures = 0
  }

  /** Gives whether the store has failed for too long; if so, the count starts again. */
  failed(): boolean {
    const now = this.#clock.now()
    if (this.#failures++ === 0) this.#since = now
    const isOver = this.#failures >= fewestFailures && now - this.#since >= this.#span
    if (isOver) this.#failures = 0
    return isOver
  }
}
