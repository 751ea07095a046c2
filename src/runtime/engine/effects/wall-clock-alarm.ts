/** The alarm of a run's time limit. */
import type { Clock } from '../../clock.ts'
import type { JournalEntry } from '../../journal/journal.ts'
import { wallClockKey, type WallClock } from '../../state/effects/wall-clock.ts'

/** The run whose time is limited. */
export interface LimitedRun {
  readonly clock: Clock
  append(entry: JournalEntry): void
}

export class WallClockAlarm {
  readonly #wallClock: WallClock
  readonly #run: LimitedRun
  #callOff: (() => void) | undefined

  constructor(wallClock: WallClock, run: LimitedRun) {
    this.#wallClock = wallClock
    this.#run = run
  }

  /** Sets the alarm of a running clock, and calls off that of any other. Returns whether it rings at once. */
  set(): boolean {
    this.callOff()
    const { isRunning, dueAt } = this.#wallClock
    if (!isRunning) return false
    const delay = dueAt - this.#run.clock.now()
    if (delay > 0) {
      this.#callOff = this.#run.clock.after(delay, () => this.ring())
      return false
    }
    this.ring()
    return true
  }

  /** Lets the time be up now. */
  ring(): void {
    const { isRunning, digest, dueAt } = this.#wallClock
    if (!isRunning) return
    this.#wallClock.firing()
    this.#run.append({ type: 'timer.fired', at: 0, key: wallClockKey, digest, dueAt })
  }

  /** This process no longer owns the run: the clock may fire in another process. */
  callOff(): void {
    this.#callOff?.()
    this.#callOff = undefined
  }
}
