/** The time of a troupe: the machine's by default, that of the app for a run which it hosts; a test may hand in its own. */
import type { HostClock } from '../actors/xstate-internals.ts'

export interface Clock {
  /** Milliseconds since 1970. */
  now(): number
  /**
   * Calls back once, after at least `delay` milliseconds; gives the way to call it off. What is waited for in the
   * background should not keep a process alive.
   */
  after(delay: number, callback: () => void, options?: { readonly background?: boolean }): () => void
}

/** A clock that goes on from `at`, where `clock` would have gone back behind it: the time of a run never falls. */
export function notBefore(clock: Clock, at: number): Clock {
  const lag = at - clock.now()
  return lag <= 0 ? clock : { now: () => clock.now() + lag, after: (delay, call) => clock.after(delay, call) }
}

/** Node fires a timer beyond this at once. */
const longestTimer = 2 ** 31 - 1

/** A clock on the timers of a system of actors. */
export function clockOn(timers: HostClock): Clock {
  // A simulated one has no such limit, and may be moved on by more at once.
  const longest = timers.now === undefined ? longestTimer : Number.POSITIVE_INFINITY
  return {
    now: () => timers.now?.() ?? Date.now(),
    after(delay, callback, { background = false } = {}) {
      let handle: unknown
      const wait = (left: number): void => {
        handle =
          left > longest
            ? timers.setTimeout(() => wait(left - longest), longest)
            : timers.setTimeout(callback, left)
        if (background) inBackground(handle)
      }
      wait(Math.max(0, delay))
      return () => timers.clearTimeout(handle)
    },
  }
}

export const systemClock: Clock = clockOn({
  setTimeout: (callback, delay) => setTimeout(callback, delay),
  clearTimeout: (handle) => clearTimeout(handle as ReturnType<typeof setTimeout>),
})

/** Keeps a timer from keeping the process alive, where there is such a thing. */
function inBackground<Handle>(handle: Handle): Handle {
  const { unref } = handle as { unref?: () => void }
  unref?.call(handle)
  return handle
}

/** Calls back when all that follows from this task, in microtasks too, is done. No time passes. */
export function nextTask(callback: () => void): void {
  setTimeout(callback)
}
