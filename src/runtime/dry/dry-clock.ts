/**
 * The clock of a dry fork: its time stands still while anything is at work, asked or stored, and goes to the next timer once
 * nothing is. So no timer is waited for, and no answer is too late.
 */
import { nextTask } from '../../actors/values/order.ts'
import type { Clock } from '../clock.ts'

interface DryTimer {
  readonly at: number
  readonly ring: () => void
}

export class DryClock implements Clock {
  #now: number
  readonly #timers = new Set<DryTimer>()
  readonly #waitsForPeople: () => Promise<boolean>
  #held = 0
  /** Counts what has happened: a look that was overtaken says nothing. */
  #changes = 0

  /** `waitsForPeople`: whether the run waits for the answers of people alone. Then no timer ends that. */
  constructor(now: number, waitsForPeople: () => Promise<boolean>) {
    this.#now = now
    this.#waitsForPeople = waitsForPeople
  }

  now(): number {
    return this.#now
  }

  after(delay: number, ring: () => void): () => void {
    const timer = { at: this.#now + Math.max(0, delay), ring }
    this.#timers.add(timer)
    this.#look()
    return () => void this.#timers.delete(timer)
  }

  /** Time stands still until the work has settled. Returns the work. */
  hold<Result>(work: Promise<Result>): Promise<Result> {
    this.#held++
    const over = (): void => {
      this.#held--
      this.#look()
    }
    work.then(over, over)
    return work
  }

  #look(): void {
    const change = ++this.#changes
    if (this.#held > 0 || this.#timers.size === 0) return
    void this.#ring(change)
  }

  async #ring(change: number): Promise<void> {
    // What is stored is delivered, and what follows from it begins, before the next task but one.
    for (let task = 0; task < 3; task++) await new Promise<void>(nextTask)
    if (change !== this.#changes || (await this.#waitsForPeople()) || change !== this.#changes) return
    let next: DryTimer | undefined
    for (const timer of this.#timers) if (timer.at < (next?.at ?? Number.POSITIVE_INFINITY)) next = timer
    if (next === undefined) return
    this.#timers.delete(next)
    this.#now = Math.max(this.#now, next.at)
    next.ring()
    this.#look()
  }
}
