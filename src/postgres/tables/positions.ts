/**
 * The number of entries of each run that this store appends to, under the token with which it does. An append names it,
 * so that one whose answer was lost is recognised, and one that arrives late changes nothing.
 */
import type { Lease } from '../../index.ts'

interface Place {
  readonly token: number
  readonly entries: number
}

/** A run that was forgotten is looked up again. */
const most = 10_000

export class Positions {
  readonly #places = new Map<string, Place>()

  get({ runId, token }: Lease): number | undefined {
    const place = this.#places.get(runId)
    return place?.token === token ? place.entries : undefined
  }

  set({ runId, token }: Pick<Lease, 'runId' | 'token'>, entries: number): void {
    this.#places.delete(runId)
    this.#places.set(runId, { token, entries })
    if (this.#places.size <= most) return
    const [oldest] = this.#places.keys()
    if (oldest !== undefined) this.#places.delete(oldest)
  }

  forget(runId: string): void {
    this.#places.delete(runId)
  }
}
