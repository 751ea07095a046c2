/**
 * What a workflow waits for. One at a time is taken, in the order in which Restate has recorded it, and acted upon; so
 * whatever follows from it follows in the same order whenever the workflow is executed again.
 */
import { RestatePromise, type TerminalError } from '@restatedev/restate-sdk'

export type Act<Value> = (value: Value | undefined, failure: TerminalError | undefined) => void

export class Race {
  readonly #waiting = new Set<RestatePromise<unknown>>()
  /** What has come, and was not taken yet. */
  readonly #come: { readonly promise: RestatePromise<unknown>; readonly act: () => void }[] = []

  /** Calls `act` when it is the turn of `promise`. Gives the way to wait for it no more. */
  add<Value>(promise: RestatePromise<Value>, act: Act<Value>): () => void {
    this.#waiting.add(promise)
    const coming = promise.map((value, failure) => {
      this.#come.push({ promise, act: () => act(value, failure) })
    })
    // To be in a race is to be listened to. The promises themselves are cheaper to race than what is made of them.
    void RestatePromise.race([coming])
    return () => void this.#waiting.delete(promise)
  }

  /** Waits for the next one, and acts on it. It never waits for nothing: that could not be ended from outside. */
  async next(): Promise<void> {
    if (this.#waiting.size === 0) throw new Error('The run waits for nothing, and has not ended.')
    const come = this.#take() ?? (await this.#race())
    this.#waiting.delete(come.promise)
    come.act()
  }

  async #race() {
    // A failure is told to whoever waits for it.
    await RestatePromise.race([...this.#waiting]).catch(() => undefined)
    const come = this.#take()
    if (come === undefined) throw new Error('A race has ended, and nothing has come.')
    return come
  }

  /** The first that is still waited for. */
  #take() {
    for (let come = this.#come.shift(); come !== undefined; come = this.#come.shift()) {
      if (this.#waiting.has(come.promise)) return come
    }
    return undefined
  }
}
