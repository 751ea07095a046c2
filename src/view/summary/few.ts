/** A list that keeps its first items, and counts the others. */
export class Few<Item> {
  readonly items: Item[] = []
  readonly #most: number
  #more = 0
  #last: Item | undefined

  constructor(most: number) {
    this.#most = most
  }

  static of<Item>(items: readonly Item[], most: number): Few<Item> {
    const few = new Few<Item>(most)
    for (const item of items) few.add(item)
    return few
  }

  /** How many items it does not have. */
  get more(): number {
    return this.#more
  }

  /** The item that was added last, kept or not. */
  get last(): Item | undefined {
    return this.#last
  }

  add(item: Item): void {
    this.#last = item
    if (this.items.length < this.#most) this.items.push(item)
    else this.#more++
  }

  /** Takes the item back that was added last. */
  dropLast(): void {
    this.#last = undefined
    if (this.#more > 0) this.#more--
    else this.items.pop()
  }
}
