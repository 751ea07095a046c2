/**
 * The promises that a workflow waits for. One at a time is taken, in the order in which Restate has recorded it, and
 * acted upon; so its consequences follow in the same order in each execution of the workflow.
 */
import { RestatePromise, type TerminalError } from '@restatedev/restate-sdk'

export type Act<Value> = (value: Value | undefined, failure: TerminalError | undefined) => void

export class Race {
  readonly #waiting = new Set<RestatePromise<unknown>>()
  /** Promises that have settled, and were not taken yet. */
  readonly #come: { readonly promise: RestatePromise<unknown>; readonly act: () => void }[] = []

  /** Calls `act` when it is the turn of `promise`. Returns the function that stops waiting for it. */
  add<Value>(promise: RestatePromise<Value>, act: Act<Value>): () => void {
    this.#waiting.add(promise)
    const coming = promise.map((value, failure) => {
      this.#come.push({ promise, act: () => act(value, failure) })
    })
    // A race makes Restate listen. The original promises are cheaper to race than the mapped ones.
    void RestatePromise.race([coming])
    return () => void this.#waiting.delete(promise)
  }

  /**
   * Waits for the next promise, and acts on it. Throws when there is none: such a wait could not be ended from outside.
   */
  async next(): Promise<void> {
    if (this.#waiting.size === 0) throw new Error('The run waits for nothing, and has not ended.')
    const come = this.#take() ?? (await this.#race())
    this.#waiting.delete(come.promise)
    come.act()
  }

  async #race() {
    // The failure goes to the `act` of its promise.
    await RestatePromise.race([...this.#waiting]).catch(() => undefined)
    const come = this.#take()
    if (come === undefined) throw new Error('A race has ended, and nothing has come.')
    return come
  }

  /** Takes the first settled promise that is still waited for. */
  #take() {
    for (let come = this.#come.shift(); come !== undefined; come = this.#come.shift()) {
      if (this.#waiting.has(come.promise)) return come
    }
    return undefined
  }
}
