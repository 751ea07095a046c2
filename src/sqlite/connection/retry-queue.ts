/**
 * Performs operations at once where it can. While another process holds the lock, they wait in their order and are
 * retried after short pauses, so that no wait blocks the event loop.
 */
import { StoreError } from '../../index.ts'
import { sleep } from '../../kit/index.ts'

/** Milliseconds that SQLite itself may wait within one try, then those that the queue waits between two. */
export const shortWait = 10
const pauses = [5, 10, 15, 20] as const
const longestPause = 25

export class RetryQueue {
  /** Milliseconds from the first try until an operation is given up. */
  readonly #busyTimeout: number
  #waiting = 0
  #last: Promise<unknown> = Promise.resolve()

  constructor(busyTimeout: number) {
    this.#busyTimeout = busyTimeout
  }

  /** A write waits for the writes before it. Throws or rejects with the error of `operation`; `STORE_BUSY` last. */
  run<T>(operation: () => T, isWrite: boolean): T | Promise<T> {
    const deadline = performance.now() + this.#busyTimeout
    if (this.#waiting > 0 && isWrite) return this.#enqueue(operation, deadline)
    try {
      return operation()
    } catch (error) {
      if (!isStoreBusy(error) || this.#busyTimeout === 0) throw error
      return this.#enqueue(operation, deadline)
    }
  }

  /** Performs an operation that takes its time when the writes before it have ended; later writes wait for it. */
  enqueue<T>(operation: () => Promise<T>): Promise<T> {
    return this.#enqueue(operation, performance.now() + this.#busyTimeout)
  }

  /** Fulfils when every waiting operation has ended. */
  async idle(): Promise<void> {
    await this.#last
  }

  #enqueue<T>(operation: () => T | Promise<T>, deadline: number): Promise<T> {
    this.#waiting++
    const before = this.#last
    const done = (async () => {
      try {
        await before
        return await retried(operation, deadline)
      } finally {
        this.#waiting--
      }
    })()
    this.#last = done.then(nothing, nothing) // the caller gets the error from `done`
    return done
  }
}

async function retried<T>(operation: () => T | Promise<T>, deadline: number): Promise<T> {
  for (let tries = 0; ; tries++) {
    try {
      return await operation()
    } catch (error) {
      if (!isStoreBusy(error) || performance.now() >= deadline) throw error
    }
    await sleep(pauses[tries] ?? longestPause)
  }
}

function isStoreBusy(error: unknown): boolean {
  return error instanceof StoreError && error.code === 'STORE_BUSY'
}

function nothing(): void {}
