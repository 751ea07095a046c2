/**
 * A map and a set for what is mostly absent: they make their table with the first entry. Each run has a dozen, and an empty
 * table of V8 takes 200 bytes.
 */

export class SparseMap<Key, Value> implements Iterable<readonly [Key, Value]> {
  #map: Map<Key, Value> | undefined

  get size(): number {
    return this.#map?.size ?? 0
  }

  get(key: Key): Value | undefined {
    return this.#map?.get(key)
  }

  has(key: Key): boolean {
    return this.#map?.has(key) ?? false
  }

  set(key: Key, value: Value): void {
    this.#map ??= new Map<Key, Value>()
    this.#map.set(key, value)
  }

  delete(key: Key): boolean {
    return this.#map?.delete(key) ?? false
  }

  /** The table goes too. */
  clear(): void {
    this.#map = undefined
  }

  keys(): Iterable<Key> {
    return this.#map?.keys() ?? []
  }

  values(): Iterable<Value> {
    return this.#map?.values() ?? []
  }

  [Symbol.iterator](): Iterator<readonly [Key, Value]> {
    return (this.#map ?? [])[Symbol.iterator]()
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
