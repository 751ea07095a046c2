/** Counts the attempts of effects: how often in a row one failed for now, or was interrupted. */
import { SparseMap } from '../../../actors/values/sparse.ts'
import type { Settlement } from '../../../actors/effect.ts'

export class Attempts {
  /** Failed attempts in a row, by the path of the effect. */
  readonly #failed = new SparseMap<string, number>()

  /** The number of the next attempt, from 1. `effect`: the path of the effect. */
  next(effect: string): number {
    return 1 + (this.#failed.get(effect) ?? 0)
  }

  settled(effect: string, settlement: Settlement): void {
    if (isRepeated(settlement)) this.#failed.set(effect, this.next(effect))
    else this.#failed.delete(effect)
  }
}

function isRepeated({ value, error }: Settlement): boolean {
  if (error !== undefined) return error.retryable === true
  return (value as { readonly type?: unknown } | null | undefined)?.type === 'interrupted'
}
