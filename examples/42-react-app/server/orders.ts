/** The orders of the shop. One that is sent again under its key is the order that is there. */
import type { Ordered } from '../agents.ts'

export interface PlacedOrder extends Ordered {
  readonly number: string
}

export class Orders {
  readonly #byKey = new Map<string, PlacedOrder>()

  get list(): readonly PlacedOrder[] {
    return [...this.#byKey.values()]
  }

  place(key: string, { item, euros }: Ordered): PlacedOrder {
    const order = this.#byKey.get(key) ?? { item, euros, number: `P-${this.#byKey.size + 1}` }
    this.#byKey.set(key, order)
    return order
  }
}
