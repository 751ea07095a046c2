/**
 * The timers of the process, for any number of milliseconds. The platforms take at most 2³¹ − 1 (24.8 days), and fire a
 * longer timer at once: a longer wait is made of slices. A test fails where another file uses the platform's timers.
 */

/** The longest timer of the platforms, in milliseconds. */
export const longestTimer = 2 ** 31 - 1

export interface TimerOptions {
  /** Whether the process may end while the timer waits. Default: false. */
  readonly background?: boolean
}

/** What sets timers: the platform, or a simulated clock. */
export interface Timers {
  setTimeout(callback: () => void, delay: number): unknown
  clearTimeout(handle: unknown): void
}

/** The timers of the process. They are looked up at each call: a test may have replaced them. */
export const platformTimers: Timers = {
  setTimeout: (callback, delay) => setTimeout(callback, delay),
  clearTimeout: (handle) => clearTimeout(handle as ReturnType<typeof setTimeout>),
}

/**
 * Calls back once, after `delay` milliseconds, and returns a function that stops the timer. A delay below zero is zero, and so is
 * one that is no number; `Infinity` never ends.
 */
export function startTimer(delay: number, callback: () => void, options?: TimerOptions): () => void {
  return startTimerOn(platformTimers, longestTimer, delay, callback, options)
}

/** As `startTimer`, on other timers, which take at most `longest` milliseconds. */
export function startTimerOn(
  timers: Timers,
  longest: number,
  delay: number,
  callback: () => void,
  { background = false }: TimerOptions = {},
): () => void {
  let handle: unknown
  const wait = (left: number): void => {
    handle =
      left > longest
        ? timers.setTimeout(() => wait(left - longest), longest)
        : timers.setTimeout(callback, left)
    if (background) inBackground(handle)
  }
  wait(delay > 0 ? delay : 0)
  return () => timers.clearTimeout(handle)
}

/** Calls back every `delay` milliseconds, and returns a function that stops it. */
export function repeatTimer(delay: number, callback: () => void, options?: TimerOptions): () => void {
  let stop: () => void = () => undefined
  const next = (): void => {
    stop = startTimer(
      delay,
      () => {
        next()
        callback()
      },
      options,
    )
  }
  next()
  return () => stop()
}

/** Resolves after `delay` milliseconds. */
export function sleep(delay: number, options?: TimerOptions): Promise<void> {
  return new Promise((resolve) => void startTimer(delay, resolve, options))
}

/** A signal that fires with a `TimeoutError` after `delay` milliseconds. `stop` lets go of its timer. */
export function timeoutSignal(delay: number): { readonly signal: AbortSignal; readonly stop: () => void } {
  const controller = new AbortController()
  const timedOut = (): void =>
    controller.abort(new DOMException('The operation was aborted due to timeout', 'TimeoutError'))
  return { signal: controller.signal, stop: startTimer(delay, timedOut, { background: true }) }
}

/** Lets the process end while the timer waits, where timers have `unref`. */
function inBackground(handle: unknown): void {
  const { unref } = handle as { unref?: () => void }
  unref?.call(handle)
}
