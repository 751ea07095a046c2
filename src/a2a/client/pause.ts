/** Waits for `delay` milliseconds; rejects with the reason of `signal` when it fires. */
import { startTimer } from '../../kit/index.ts'

export async function pause(delay: number, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted()
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const onAbort = (): void => reject(signal.reason as Error)
  const stopTimer = startTimer(delay, resolve)
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    await promise
  } finally {
    stopTimer()
    signal.removeEventListener('abort', onAbort)
  }
}
