/** Subscriptions to sources of the application, which may fail. */
import { settled } from './report.ts'

/**
 * Subscribes, and returns the function that ends the subscription. `failed` gets what `subscribe`, or the function that it
 * has returned, throws or rejects with: nothing is told then.
 */
export function subscribed(subscribe: () => unknown, failed: (error: unknown) => void): () => void {
  const guarded = (act: () => unknown): unknown => {
    try {
      const answer = act()
      settled(answer, failed)
      return answer
    } catch (error) {
      failed(error)
      return undefined
    }
  }
  const leave = guarded(subscribe)
  return () => void guarded(() => (isLeave(leave) ? leave() : left(leave)))
}

/** A source may be slow to subscribe. One that fails was reported. */
async function left(leaving: unknown): Promise<void> {
  const leave: unknown = await Promise.resolve(leaving).catch(() => undefined)
  if (isLeave(leave)) await leave()
}

function isLeave(given: unknown): given is () => unknown {
  return typeof given === 'function'
}
