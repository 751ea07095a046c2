/**
 * The positions of items by their ids. Lists of which each goes on from the one before share one index: an id keeps its
 * position, and a list ignores those behind its end. A list that goes another way than its successors gets an index of its own.
 */
export class KeyIndex {
  readonly #positions: Map<string, number>

  constructor(ids: Iterable<string> = []) {
    this.#positions = new Map()
    for (const id of ids) this.#positions.set(id, this.#positions.size)
  }

  /** `length`: of the list that asks. */
  find(id: string, length: number): number | undefined {
    const position = this.#positions.get(id)
    return position === undefined || position >= length ? undefined : position
  }

  /** The index of a list that has this length, and now gets one more item. */
  appended(id: string, length: number, items: () => readonly { readonly id: string }[]): KeyIndex {
    if (this.#positions.get(id) === length) return this
    if (this.#positions.size === length) {
      this.#positions.set(id, length)
      return this
    }
    return new KeyIndex([...items().map((item) => item.id), id])
  }
}
