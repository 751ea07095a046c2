/** A clock for runs under test: it stands still until it is moved, and a test can wait until timers are set. */
import type { Clock } from 'troupe'

export interface VirtualClock extends Clock {
  /** How many timers are set. */
  readonly pending: number
  /** Settles when at least this many timers are set. */
  armed(count?: number): Promise<void>
  /** Moves on, and calls back what is due, earliest first. */
  advance(milliseconds: number): void
  /** As `advance`, and lets what follows from each timer come before the next: it may set others. */
  elapse(milliseconds: number): Promise<void>
  /** Moves on without a call back, as for a process that stood still. */
  jump(milliseconds: number): void
}

interface Alarm {
  readonly due: number
  readonly ring: () => void
}

export function virtualClock(start = 1_000): VirtualClock {
  let now = start
  const alarms = new Set<Alarm>()
  let waiting: { readonly count: number; readonly resolve: () => void }[] = []

  const earliest = (until: number): Alarm | undefined => {
    let first: Alarm | undefined
    for (const alarm of alarms) {
      if (alarm.due <= until && (first === undefined || alarm.due < first.due)) first = alarm
    }
    return first
  }

  return {
    now: () => now,
    after(delay, ring) {
      const alarm = { due: now + Math.max(0, delay), ring }
      alarms.add(alarm)
      const ready = waiting.filter(({ count }) => alarms.size >= count)
      waiting = waiting.filter(({ count }) => alarms.size < count)
      for (const { resolve } of ready) resolve()
      return () => alarms.delete(alarm)
    },
    get pending() {
      return alarms.size
    },
    armed(count = 1) {
      if (alarms.size >= count) return Promise.resolve()
      return new Promise((resolve) => waiting.push({ count, resolve }))
    },
    advance(milliseconds) {
      const until = now + milliseconds
      for (let alarm = earliest(until); alarm !== undefined; alarm = earliest(until)) {
        alarms.delete(alarm)
        now = Math.max(now, alarm.due)
        alarm.ring()
      }
      now = until
    },
    jump(milliseconds) {
      now += milliseconds
    },
    async elapse(milliseconds) {
      const until = now + milliseconds
      await settled()
      for (let alarm = earliest(until); alarm !== undefined; alarm = earliest(until)) {
        alarms.delete(alarm)
        now = Math.max(now, alarm.due)
        alarm.ring()
        await settled()
      }
      now = until
    },
  }
}

/** When all microtasks have run. */
function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
