/** A clock that a test moves by hand. Time stands still between two calls of `advance`. */
import type { Clock } from 'troupe'

interface Timer {
  readonly dueAt: number
  readonly callback: () => void
}

export class ManualClock implements Clock {
  #now = 0
  #timers: Timer[] = []

  now(): number {
    return this.#now
  }

  after(delay: number, callback: () => void): () => void {
    const timer = { dueAt: this.#now + Math.max(0, delay), callback }
    this.#timers.push(timer)
    return () => {
      this.#timers = this.#timers.filter((other) => other !== timer)
    }
  }

  /** When the timers that are set are due, the earliest first. */
  get due(): readonly number[] {
    return this.#timers.map((timer) => timer.dueAt).toSorted((a, b) => a - b)
  }

  /** Moves time on, and calls back whoever is due by then, the earliest first. */
  advance(milliseconds: number): void {
    const end = this.#now + milliseconds
    for (;;) {
      const [next] = this.#timers.toSorted((a, b) => a.dueAt - b.dueAt)
      if (next === undefined || next.dueAt > end) break
      this.#timers = this.#timers.filter((other) => other !== next)
      this.#now = Math.max(this.#now, next.dueAt)
      next.callback()
    }
    this.#now = end
  }
}
