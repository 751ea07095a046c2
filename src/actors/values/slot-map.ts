/**
 * A map for large values that come and go for as long as a process lives. When V8 changes the table of a `Map`, the table
 * that is left behind keeps its entries and the table after it: once old, such tables hold every value that was ever in
 * one of them until the next full collection. Here the table has numbers, and the values stand in slots that are emptied.
 */
export class SlotMap<Value extends object> {
  readonly #slots = new Map<string, number>()
  readonly #values: (Value | undefined)[] = []
  readonly #free: number[] = []

  get size(): number {
    return this.#slots.size
  }

  has(key: string): boolean {
    return this.#slots.has(key)
  }

  get(key: string): Value | undefined {
    const slot = this.#slots.get(key)
    return slot === undefined ? undefined : this.#values[slot]
  }

  set(key: string, value: Value): void {
    const slot = this.#slots.get(key) ?? this.#take(key)
    this.#values[slot] = value
  }

  #take(key: string): number {
    const slot = this.#free.pop() ?? this.#values.length
    this.#slots.set(key, slot)
    return slot
  }

  delete(key: string): boolean {
    const slot = this.#slots.get(key)
    if (slot === undefined) return false
    this.#slots.delete(key)
    this.#values[slot] = undefined
    this.#free.push(slot)
    return true
  }

  /** In the order in which they came. */
  keys(): Iterable<string> {
    return this.#slots.keys()
  }

  /** In the order of the keys. */
  *values(): Generator<Value> {
    for (const slot of this.#slots.values()) yield this.#values[slot] as Value
  }
}
