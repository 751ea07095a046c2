/** The time of a troupe: the machine's by default; a test may hand in its own. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number
  /** Calls back once, after at least `delay` milliseconds; gives the way to call it off. */
  after(delay: number, callback: () => void): () => void
}

/** Node fires a timer beyond this at once. */
const longestTimer = 2 ** 31 - 1

export const systemClock: Clock = {
  now: () => Date.now(),
  after(delay, callback) {
    let handle: ReturnType<typeof setTimeout>
    const wait = (left: number): void => {
      handle =
        left > longestTimer ? setTimeout(wait, longestTimer, left - longestTimer) : setTimeout(callback, left)
    }
    wait(Math.max(0, delay))
    return () => clearTimeout(handle)
  },
}
