/** The tokens and the cost of an actor and all below it, after any row. */
import type { Usage } from '../../../index.ts'
import { countUntil } from './sorted.ts'

export interface Spent {
  readonly tokens: number
  /** Absent where no reply had a price. */
  readonly cost?: number
}

export class Sums {
  readonly #rows: number[] = []
  /** Each beside its row. */
  readonly #spent: Spent[] = []

  add(row: number, { totalTokens, cost }: Usage): void {
    const before = this.#spent.at(-1)
    const costs = cost === undefined ? before?.cost : (before?.cost ?? 0) + cost
    this.#rows.push(row)
    this.#spent.push({
      tokens: (before?.tokens ?? 0) + totalTokens,
      ...(costs === undefined ? {} : { cost: costs }),
    })
  }

  /** `undefined`: nothing was spent up to the row. */
  until(row: number): Spent | undefined {
    return this.#spent[countUntil(this.#rows, row) - 1]
  }
}
