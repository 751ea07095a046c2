/** Failures of a store: whether they may pass, and how long they may last. */
import { StoreError, TroupeError, type StoreErrorCode } from '../errors.ts'
import type { Clock } from './clock.ts'

const lasting: ReadonlySet<StoreErrorCode> = new Set([
  'STORE_UNAVAILABLE',
  'STORE_CORRUPT',
  'STORE_FOREIGN',
  'STORE_NEWER',
  'STORE_GONE',
  'STORE_CLOSED',
])

/** Whether the error is the failure of a store that may answer again. A store may throw errors of any class. */
export function isOutage(error: unknown): boolean {
  return error instanceof StoreError ? !lasting.has(error.code) : !(error instanceof TroupeError)
}

const fewestFailures = 3

/** Limits how long a store may fail before handles are rejected: for the span of a lease, and at least three times. */
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
