/** The clock of a troupe: the machine's by default, the app's for a run that the app hosts; a test may pass its own. */
import { longestTimer, platformTimers, startTimerOn } from '../actors/values/timer.ts'
import type { HostClock } from '../actors/xstate-internals.ts'

/** A clock and its timers. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number
  /**
   * Calls back once, after at least `delay` milliseconds; returns a function that cancels it. A timer in the background
   * should not keep a process alive.
   */
  after(delay: number, callback: () => void, options?: { readonly background?: boolean }): () => void
}

/** A clock that continues from `at` where `clock` is behind it: the time of a run never falls. */
export function notBefore(clock: Clock, at: number): Clock {
  const lag = at - clock.now()
  return lag <= 0 ? clock : { now: () => clock.now() + lag, after: (...timer) => clock.after(...timer) }
}

/** A clock on the timers of a system of actors. */
/* @__NO_SIDE_EFFECTS__ */
export function clockOn(timers: HostClock): Clock {
  // A simulated clock has no such limit, and may advance by more at once.
  const longest = timers.now === undefined ? longestTimer : Number.POSITIVE_INFINITY
  return {
    now: () => timers.now?.() ?? Date.now(),
    after: (delay, callback, options) => startTimerOn(timers, longest, delay, callback, options),
  }
}

export const systemClock: Clock = clockOn(platformTimers)
