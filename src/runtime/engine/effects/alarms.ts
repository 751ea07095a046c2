/**
 * The alarms of one run: its timers, and the deadlines of its effects. One that is due rings before anything that comes
 * later is recorded, even where the process was blocked and its timers could not fire.
 */
import type { Clock } from '../../clock.ts'

interface Alarm {
  readonly at: number
  readonly ring: () => void
  callOff: () => void
}

export class Alarms {
  readonly #clock: Clock
  readonly #set = new Set<Alarm>()
  /** No alarm is due before this. */
  #earliest = Number.POSITIVE_INFINITY

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Rings once, at `at` or as soon after as the process can. Gives the way to call it off. */
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

  /** Rings those that are due at `now`, the earliest first. Whether there were any. */
  ringDue(now: number): boolean {
    if (now < this.#earliest) return false
    const due = [...this.#set].filter(({ at }) => at <= now).toSorted((a, b) => a.at - b.at)
    for (const alarm of due) {
      if (!this.#set.delete(alarm)) continue // one that rang before it has called it off
      alarm.callOff()
      alarm.ring()
    }
    this.#earliest = Number.POSITIVE_INFINITY
    for (const { at } of this.#set) this.#earliest = Math.min(this.#earliest, at)
    return due.length > 0
  }
}
