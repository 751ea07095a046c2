/**
 * The alarms of one run: its timers, and the deadlines of its effects. An alarm that is due rings before any later
 * entry is recorded, even where the process was blocked and its timers could not fire.
 */
import { SparseSet } from '../../../actors/values/sparse.ts'
import type { Clock } from '../../clock.ts'

interface Alarm {
  readonly at: number
  readonly ring: () => void
  callOff: () => void
}

export class Alarms {
  readonly #clock: Clock
  readonly #set = new SparseSet<Alarm>()
  /** No alarm is due before this. */
  #earliest = Number.POSITIVE_INFINITY

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /**
   * Sets an alarm that rings once, at `at` or as soon after as the process can. Returns the function that cancels it.
   */
  set(at: number, ring: () => void, now = this.#clock.now()): () => void {
    const alarm: Alarm = { at, ring, callOff: () => undefined }
    this.#set.add(alarm)
    this.#earliest = Math.min(this.#earliest, at)
    alarm.callOff = this.#clock.after(at - now, () => {
      if (this.#set.delete(alarm)) ring()
    })
    return () => {
      if (this.#set.delete(alarm)) alarm.callOff()
    }
  }

  /** Rings the alarms that are due at `now`, the earliest first. Returns whether there were any. */
  ringDue(now: number): boolean {
    if (now < this.#earliest) return false
    const due = [...this.#set].filter(({ at }) => at <= now).toSorted((a, b) => a.at - b.at)
    for (const alarm of due) {
      if (!this.#set.delete(alarm)) continue // an alarm that rang before it has cancelled it
      alarm.callOff()
      alarm.ring()
    }
    this.#earliest = Number.POSITIVE_INFINITY
    for (const { at } of this.#set) this.#earliest = Math.min(this.#earliest, at)
    return due.length > 0
  }
}
