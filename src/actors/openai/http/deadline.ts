/**
 * One deadline over a whole model call, together with the caller's signal. The first event decides the outcome
 * at once, also where the client ends its stream without a throw, or ignores the signal.
 */
import { CancelledError, RetryableError, type TroupeError } from '../../../errors.ts'
import { startTimer } from '../../values/timer.ts'

export interface Deadline {
  readonly signal: AbortSignal
  /** In milliseconds. */
  readonly timeout: number
  readonly modelId: string
}

/** Fails a request that takes longer than its timeout. */
export async function withDeadline<T>(
  { signal, timeout, modelId }: Deadline,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const cancelled = () =>
    new CancelledError(`The call of model "${modelId}" was cancelled.`, { cause: signal.reason })
  if (signal.aborted) throw cancelled()

  const controller = new AbortController()
  let stop: (error: TroupeError) => void = () => undefined
  const stopped = new Promise<never>((_, reject) => {
    stop = (error) => {
      reject(error) // before the abort, so that the race below is decided by this error
      controller.abort(error)
    }
  })
  const onAbort = () => stop(cancelled())
  const onTimeout = () =>
    stop(
      new RetryableError(`Model "${modelId}" was not done after ${timeout} ms.`, { code: 'MODEL_TIMEOUT' }),
    )

  const stopTimer = startTimer(timeout, onTimeout)
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    return await Promise.race([work(controller.signal), stopped])
  } finally {
    stopTimer()
    signal.removeEventListener('abort', onAbort)
  }
}
