/**
 * An append-only list with a rolling digest. Appending returns a new list and costs one item, however long the
 * list is; lists that share a past share its storage. The digest covers the whole content, yet every item is
 * hashed once: so the digest of an effect's input costs O(step), never O(history).
 */
import { digestText } from './digest.ts'
import { deepFreeze } from './frozen.ts'
import { SparseMap } from './sparse.ts'

/** The items of an `AppendLog`. */
export interface Storage<T> {
  readonly items: T[]
  /** `digests[i]` covers the first `i` items; filled when first needed. */
  digests: string[] | undefined
  /** By measure, the sums over the first `i` items; filled when first needed. */
  sums: SparseMap<unknown, number[]> | undefined
}

function storageOf<T>(items: T[]): Storage<T> {
  return { items, digests: undefined, sums: undefined }
}

/** A list that only grows, and whose digest is made of the items that were added. */
export class AppendLog<T> implements Iterable<T> {
  /** One for all: no view of its storage grows it. */
  static readonly #empty = /* @__PURE__ */ new AppendLog<never>(/* @__PURE__ */ storageOf([]), 0)
  readonly #storage: Storage<T>
  readonly length: number

  private constructor(storage: Storage<T>, length: number) {
    this.#storage = storage
    this.length = length
  }

  static of<T>(items: Iterable<T> = []): AppendLog<T> {
    const stored = Array.isArray(items) ? (items as readonly T[]).map(deepFreeze) : frozen(items)
    return stored.length === 0 ? AppendLog.#empty : new AppendLog(storageOf(stored), stored.length)
  }

  append(...items: T[]): AppendLog<T> {
    if (items.length === 0) return this
    const storage = this.#growing()
    for (const item of items) storage.items.push(deepFreeze(item))
    return new AppendLog(storage, storage.items.length)
  }

  /** A storage that may grow: only the newest view of one may grow it; an older one branches off with a copy. */
  #growing(): Storage<T> {
    if (this.length === 0) return storageOf([])
    const { items, digests, sums } = this.#storage
    if (items.length === this.length) return this.#storage
    const branch = { items: items.slice(0, this.length), digests: digests?.slice(0, this.length + 1) }
    if (sums === undefined) return { ...branch, sums }
    const own = new SparseMap<unknown, number[]>()
    for (const [measure, prefix] of sums) own.set(measure, prefix.slice(0, this.length + 1))
    return { ...branch, sums: own }
  }

  /** Identifies the content: equal lists have equal digests. */
  get digest(): string {
    const { items, digests: known } = this.#storage
    const digests = known ?? roomFor(this.length, '0')
    for (let i = known?.length ?? 1; i <= this.length; i++) {
      digests[i] = digestText(digests[i - 1] as string, JSON.stringify(items[i - 1]))
    }
    this.#storage.digests = digests
    return digests[this.length] as string
  }

  /** The sum of `measure` over all items; each item is measured once, however often the list grows. */
  sum(measure: (item: T) => number): number {
    const { items } = this.#storage
    const sums = (this.#storage.sums ??= new SparseMap<unknown, number[]>())
    const known = sums.get(measure)
    const prefix = known ?? roomFor(this.length, 0)
    for (let i = known?.length ?? 1; i <= this.length; i++) {
      prefix[i] = (prefix[i - 1] as number) + measure(items[i - 1] as T)
    }
    sums.set(measure, prefix)
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

function frozen<T>(items: Iterable<T>): T[] {
  const stored: T[] = []
  for (const item of items) stored.push(deepFreeze(item))
  return stored
}

/**
 * A list of exactly as many places as it takes to cover the first `length` items: V8 gives an array that grows sixteen places
 * more, and most lists of subagents do not grow.
 */
function roomFor<Covering>(length: number, none: Covering): Covering[] {
  return Array<Covering>(length + 1).fill(none)
}
