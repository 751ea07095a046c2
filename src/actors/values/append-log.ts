/**
 * An append-only list with a rolling digest. Appending returns a new list and costs one item, however long the
 * list is; lists that share a past share its storage. The digest covers the whole content, yet every item is
 * hashed once: so the digest of an effect's input costs O(step), never O(history).
 */
import { digestText } from './digest.ts'
import { deepFreeze } from './frozen.ts'

interface Storage<T> {
  readonly items: T[]
  /** `digests[i]` covers the first `i` items; filled when first needed. */
  readonly digests: string[]
  /** By measure, the sums over the first `i` items; filled when first needed. */
  readonly sums: Map<unknown, number[]>
}

export class AppendLog<T> implements Iterable<T> {
  readonly #storage: Storage<T>
  readonly length: number

  private constructor(storage: Storage<T>, length: number) {
    this.#storage = storage
    this.length = length
  }

  static of<T>(items: Iterable<T> = []): AppendLog<T> {
    const storage: Storage<T> = { items: [...items].map(deepFreeze), digests: ['0'], sums: new Map() }
    return new AppendLog(storage, storage.items.length)
  }

  append(...items: T[]): AppendLog<T> {
    if (items.length === 0) return this
    const { items: stored, digests, sums } = this.#storage
    // Only the newest view of a storage may grow it; an older one branches off with a copy.
    const isNewest = stored.length === this.length
    const storage = isNewest
      ? this.#storage
      : {
          items: stored.slice(0, this.length),
          digests: digests.slice(0, this.length + 1),
          sums: new Map([...sums].map(([measure, prefix]) => [measure, prefix.slice(0, this.length + 1)])),
        }
    for (const item of items) storage.items.push(deepFreeze(item))
    return new AppendLog(storage, storage.items.length)
  }

  /** Identifies the content: equal lists have equal digests. */
  get digest(): string {
    const { items, digests } = this.#storage
    for (let i = digests.length; i <= this.length; i++) {
      digests.push(digestText(digests[i - 1] as string, JSON.stringify(items[i - 1])))
    }
    return digests[this.length] as string
  }

  /** The sum of `measure` over all items; each item is measured once, however often the list grows. */
  sum(measure: (item: T) => number): number {
    const { items, sums } = this.#storage
    const prefix = sums.get(measure) ?? [0]
    sums.set(measure, prefix)
    for (let i = prefix.length; i <= this.length; i++) {
      prefix.push((prefix[i - 1] as number) + measure(items[i - 1] as T))
    }
    return prefix[this.length] as number
  }

  at(index: number): T | undefined {
    const position = index < 0 ? this.length + index : index
    return position < this.length ? this.#storage.items[position] : undefined
  }

  toArray(): T[] {
    return this.#storage.items.slice(0, this.length)
  }

  *[Symbol.iterator](): Iterator<T> {
    for (let i = 0; i < this.length; i++) yield this.#storage.items[i] as T
  }

  toJSON(): T[] {
    return this.toArray()
  }
}
