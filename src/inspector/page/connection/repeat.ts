/** Work that is repeated while the page is visible: after a pause, and after a longer one when it has failed. */
export interface Repeating {
  /** Does the work now. */
  now(): void
  stop(): void
}

const longestPause = 10_000

/** `work` throws where it has failed. `onFailure` is given the error and the milliseconds until the next attempt. */
export function repeat(
  pause: number,
  work: () => Promise<void>,
  onFailure: (error: unknown, retryIn: number) => void,
): Repeating {
  let timer: ReturnType<typeof setTimeout> | undefined
  let isStopped = false
  let isAtWork = false
  let failures = 0

  const wait = (ms: number) => {
    clearTimeout(timer)
    if (!isStopped && document.visibilityState === 'visible') timer = setTimeout(run, ms)
  }
  const attempt = async () => {
    isAtWork = true
    try {
      await work()
      failures = 0
      wait(pause)
    } catch (error) {
      const retryIn = Math.min(pause * 2 ** failures++, longestPause)
      if (!isStopped) onFailure(error, retryIn)
      wait(retryIn)
    } finally {
      isAtWork = false
    }
  }
  const run = () => {
    if (!isAtWork && !isStopped) void attempt()
  }
  const onVisible = () => {
    if (document.visibilityState === 'visible') run()
  }
  document.addEventListener('visibilitychange', onVisible)
  run()
  return {
    now: run,
    stop() {
      isStopped = true
      clearTimeout(timer)
      document.removeEventListener('visibilitychange', onVisible)
    },
  }
}
