/** Waits for `delay` milliseconds; rejects with the reason of `signal` when it fires. */
export async function pause(delay: number, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted()
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const onAbort = (): void => reject(signal.reason as Error)
  const timer = setTimeout(resolve, delay)
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    await promise
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', onAbort)
  }
}
