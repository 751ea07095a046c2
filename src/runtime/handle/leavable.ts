/** Generators that a reader may leave at any time. */

/**
 * The items of a generator. A generator answers `return` only after the `next` that waits; `leave` ends that wait, so that
 * a reader that leaves keeps nothing open. `leave` is called again by each further `return`.
 */
export function leavable<Item>(
  items: AsyncGenerator<Item, void>,
  leave: () => Promise<unknown> | undefined,
): AsyncIterableIterator<Item> {
  return {
    next: () => items.next(),
    async return() {
      await leave()
      return items.return()
    },
    [Symbol.asyncIterator]() {
      return this
    },
  }
}
