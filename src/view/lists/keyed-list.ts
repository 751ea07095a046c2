/**
 * An immutable list of items that are found by their ids. A change gives a new list, which shares the unchanged items with the old
 * one; its cost does not grow with the list, and neither does that of `get`.
 */
import { Vector } from './vector.ts'

/**
 * The positions of items by their ids. Lists of which each goes on from the one before share one index: an id keeps its
 * position, and a list ignores those behind its end. A list that goes another way than its successors gets an index of its own.
 */
class KeyIndex {
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

/** An immutable list whose items are found by their position and by their `id`. It can be iterated, and is an array in JSON. */
export class KeyedList<T extends { readonly id: string }> implements Iterable<T> {
  readonly #values: Vector<T>
  readonly #index: KeyIndex
  #array: readonly T[] | undefined

  private constructor(values: Vector<T>, index: KeyIndex) {
    this.#values = values
    this.#index = index
  }

  /** The list of these items; of several with one id the last stands, at the place of the first. */
  static of<T extends { readonly id: string }>(...items: readonly T[]): KeyedList<T> {
    const none = new KeyedList<T>(Vector.none, new KeyIndex())
    return items.reduce((list, item) => list.with(item), none)
  }

  get length(): number {
    return this.#values.length
  }

  /** The item at a position; a negative one counts from the end. */
  at(position: number): T | undefined {
    const index = position < 0 ? this.length + position : position
    return index >= 0 && index < this.length ? this.#values.at(index) : undefined
  }

  /** The item with this id. */
  get(id: string): T | undefined {
    const index = this.#index.find(id, this.length)
    return index === undefined ? undefined : this.#values.at(index)
  }

  /** The list with an item in the place of the one with its id, or at the end. */
  with(item: T): KeyedList<T> {
    const index = this.#index.find(item.id, this.length)
    if (index === undefined) {
      const grown = this.#index.appended(item.id, this.length, () => this.toArray())
      return new KeyedList(this.#values.with(this.length, item), grown)
    }
    if (this.#values.at(index) === item) return this
    return new KeyedList(this.#values.with(index, item), this.#index)
  }

  map<Result>(toResult: (item: T, index: number) => Result): Result[] {
    return this.toArray().map((item, index) => toResult(item, index))
  }

  filter<Narrow extends T>(isWanted: (item: T) => item is Narrow): Narrow[]
  filter(isWanted: (item: T) => boolean): T[]
  filter(isWanted: (item: T) => boolean): T[] {
    return this.toArray().filter(isWanted)
  }

  /** The items as an array: the same one each time. */
  toArray(): readonly T[] {
    return (this.#array ??= this.#values.toArray())
  }

  toJSON(): readonly T[] {
    return this.toArray()
  }

  [Symbol.iterator](): Iterator<T> {
    return this.toArray()[Symbol.iterator]()
  }
}
