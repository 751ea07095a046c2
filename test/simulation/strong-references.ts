/**
 * A garbage collection is a random event: while a world is simulated, weak references are strong, so that a run that
 * was passivated is found again whatever the memory is like.
 */
class StrongRef<T extends WeakKey> {
  readonly #target: T

  constructor(target: T) {
    this.#target = target
  }

  deref(): T {
    return this.#target
  }

  get [Symbol.toStringTag](): 'WeakRef' {
    return 'WeakRef'
  }
}

export async function withStrongReferences<T>(act: () => Promise<T>): Promise<T> {
  const { WeakRef } = globalThis
  globalThis.WeakRef = StrongRef
  try {
    return await act()
  } finally {
    globalThis.WeakRef = WeakRef
  }
}
