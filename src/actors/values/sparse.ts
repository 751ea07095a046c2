/**
 * A map and a set for what is mostly absent, or one: a map makes its table with the second entry, a set with the first. Each
 * run has a dozen, and a table of V8 takes 200 bytes.
 */

class Only<Key, Value> {
  readonly key: Key
  value: Value

  constructor(key: Key, value: Value) {
    this.key = key
    this.value = value
  }
}

/** A map of few entries. */
export class SparseMap<Key, Value> implements Iterable<readonly [Key, Value]> {
  #entries: Only<Key, Value> | Map<Key, Value> | undefined

  get size(): number {
    const entries = this.#entries
    return entries instanceof Map ? entries.size : entries === undefined ? 0 : 1
  }

  get(key: Key): Value | undefined {
    const entries = this.#entries
    if (entries instanceof Only) return entries.key === key ? entries.value : undefined
    return entries?.get(key)
  }

  has(key: Key): boolean {
    const entries = this.#entries
    return entries instanceof Only ? entries.key === key : (entries?.has(key) ?? false)
  }

  set(key: Key, value: Value): void {
    const entries = this.#entries
    if (entries === undefined) this.#entries = new Only(key, value)
    else if (entries instanceof Map) entries.set(key, value)
    else if (entries.key === key) entries.value = value
    else {
      this.#entries = new Map([
        [entries.key, entries.value],
        [key, value],
      ])
    }
  }

  delete(key: Key): boolean {
    const entries = this.#entries
    if (!(entries instanceof Only)) return entries?.delete(key) ?? false
    if (entries.key !== key) return false
    this.#entries = undefined
    return true
  }

  /** The table goes too. */
  clear(): void {
    this.#entries = undefined
  }

  // A reader of one entry sees it although it is deleted meanwhile, and none that is added.

  keys(): Iterable<Key> {
    const entries = this.#entries
    return entries instanceof Only ? [entries.key] : (entries?.keys() ?? [])
  }

  values(): Iterable<Value> {
    const entries = this.#entries
    return entries instanceof Only ? [entries.value] : (entries?.values() ?? [])
  }

  [Symbol.iterator](): Iterator<readonly [Key, Value]> {
    const entries = this.#entries
    return (entries instanceof Only ? [[entries.key, entries.value] as const] : (entries ?? []))[
      Symbol.iterator
    ]()
  }
}

export class SparseSet<Value> implements Iterable<Value> {
  #set: Set<Value> | undefined

  get size(): number {
    return this.#set?.size ?? 0
  }

  has(value: Value): boolean {
    return this.#set?.has(value) ?? false
  }

  add(value: Value): void {
    this.#set ??= new Set<Value>()
    this.#set.add(value)
  }

  delete(value: Value): boolean {
    return this.#set?.delete(value) ?? false
  }

  /** The table goes too. */
  clear(): void {
    this.#set = undefined
  }

  [Symbol.iterator](): Iterator<Value> {
    return (this.#set ?? [])[Symbol.iterator]()
  }
}
