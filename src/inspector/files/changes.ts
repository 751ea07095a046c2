/** Lets readers wait for the next change of a thing. */
import { startTimer } from '../../kit/index.ts'

export class Changes {
  readonly #waiting = new Set<() => void>()
  #count = 0

  /** The changes that follow this moment. */
  get next(): Following {
    const seen = this.#count
    return {
      hasCome: () => this.#count > seen,
      listen: (listener) => {
        this.#waiting.add(listener)
        return () => void this.#waiting.delete(listener)
      },
    }
  }

  /** The number of those who wait. */
  get waiting(): number {
    return this.#waiting.size
  }

  tell(): void {
    this.#count++
    const waiting = [...this.#waiting]
    this.#waiting.clear()
    for (const listener of waiting) listener()
  }
}

/** The changes of a thing from a moment on. */
export interface Following {
  /** Whether there was one. */
  hasCome(): boolean
  /** Calls the listener with the next one, once; returns a function that takes the listener away. */
  listen(listener: () => void): () => void
}

/** Resolves with the first change of any, when the time has passed, or when the signal fires. Never rejects; leaves nothing behind. */
export async function firstOf(
  changes: readonly Following[],
  { within, signal }: { readonly within?: number; readonly signal: AbortSignal },
): Promise<void> {
  if (signal.aborted || changes.some((one) => one.hasCome())) return
  const { promise, resolve } = Promise.withResolvers<void>()
  const done = (): void => resolve()
  const stopTimer = within === undefined ? undefined : startTimer(within, done, { background: true })
  signal.addEventListener('abort', done)
  const leave = changes.map((one) => one.listen(done))
  await promise
  for (const left of leave) left()
  stopTimer?.()
  signal.removeEventListener('abort', done)
}
