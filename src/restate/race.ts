/**
 * What a workflow waits for. One at a time is taken, in the order in which Restate has recorded it, and acted upon; so
 * whatever follows from it follows in the same order whenever the workflow is executed again.
 */
import { RestatePromise, type TerminalError } from '@restatedev/restate-sdk'

export type Act<Value> = (value: Value | undefined, failure: TerminalError | undefined) => void

export class Race {
  readonly #waiting = new Set<RestatePromise<() => void>>()

  /** Calls `act` when it is the turn of `promise`. Gives the way to wait for it no more. */
  add<Value>(promise: RestatePromise<Value>, act: Act<Value>): () => void {
    const waiting = promise.map((value, failure) => () => {
      leave()
      act(value, failure)
    })
    const leave = (): void => void this.#waiting.delete(waiting)
    this.#waiting.add(waiting)
    return leave
  }

  /** Waits for the next one, and acts on it. It never waits for nothing: that could not be ended from outside. */
  async next(): Promise<void> {
    if (this.#waiting.size === 0) throw new Error('The run waits for nothing, and has not ended.')
    const act = await RestatePromise.race([...this.#waiting])
    act()
  }
}
