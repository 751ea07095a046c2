/** The end of an effect as its wrappers see it, for code that does not listen to its signal: a span of it must end too. */
import { nextTask } from '../../clock.ts'

/**
 * The outcome, as `see` shows it; rejects with the reason of the signal where it has not come when the run lets go of the effect.
 * Code that listens has time to end in its own way. A wrapper learns of an outcome no later than the run: nothing is awaited.
 */
export function untilLetGo<Outcome, Seen>(
  outcome: Promise<Outcome>,
  signal: AbortSignal,
  see: (outcome: Outcome) => Seen,
): Promise<Seen> {
  const { promise, resolve, reject } = Promise.withResolvers<Seen>()
  const onAbort = (): void => nextTask(() => reject(signal.reason))
  const release = (): void => signal.removeEventListener('abort', onAbort)
  if (signal.aborted) onAbort()
  else signal.addEventListener('abort', onAbort, { once: true })
  const follow = async (): Promise<void> => {
    try {
      resolve(see(await outcome))
    } catch (error) {
      reject(error)
    } finally {
      release()
    }
  }
  void follow()
  return promise
}
