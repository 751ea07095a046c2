/** XState's simulated clock, which tells when something is to be waited for. */
import { SimulatedClock } from 'xstate'

export class ArmedClock extends SimulatedClock {
  /** The delays of all timers that were ever set. */
  readonly delays: number[] = []
  #waiting: (() => void)[] = []

  override setTimeout(callback: () => void, delay: number): number {
    const id = super.setTimeout(callback, delay)
    this.delays.push(delay)
    const waiting = this.#waiting
    this.#waiting = []
    for (const wake of waiting) wake()
    return id
  }

  /** Settles when this many timers have been set, at any time. */
  async armed(count: number): Promise<void> {
    while (this.delays.length < count) await new Promise<void>((resolve) => this.#waiting.push(resolve))
  }
}
