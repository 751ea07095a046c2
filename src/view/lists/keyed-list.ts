/**
 * An immutable list of items that are found by their ids. A change gives a new list, which shares the unchanged items with the old
 * one; its cost does not grow with the list, and neither does that of `get`.
 */
import { KeyIndex } from './key-index.ts'
import { Vector } from './vector.ts'

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
