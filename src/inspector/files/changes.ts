/** Lets readers wait for the next change of a thing. */
export class Changes {
  #next = Promise.withResolvers<void>()

  /** Resolves with the next change. */
  get next(): Promise<void> {
    return this.#next.promise
  }

  tell(): void {
    const { resolve } = this.#next
    this.#next = Promise.withResolvers()
    resolve()
  }
}

/** Resolves with the first of these promises, when the time has passed, or when the signal fires. Never rejects. */
export async function firstOf(
  promises: readonly Promise<unknown>[],
  { within, signal }: { readonly within?: number; readonly signal: AbortSignal },
): Promise<void> {
  if (signal.aborted) return
  const settled = Promise.withResolvers<void>()
  const resolve = (): void => settled.resolve()
  const timer = within === undefined ? undefined : setTimeout(resolve, within)
  timer?.unref()
  signal.addEventListener('abort', resolve)
  for (const promise of promises) promise.then(resolve, resolve)
  await settled.promise
  clearTimeout(timer)
  signal.removeEventListener('abort', resolve)
}
