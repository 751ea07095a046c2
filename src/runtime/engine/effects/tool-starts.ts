/**
 * Which calls of tools had begun when their process ended. The start of a call is put on record before it is begun. Calls
 * of one step are put on record together and then begun one after the other, so of those that nothing follows only the
 * first has begun for certain. Calls that were interrupted before are put on record one at a time, each when the one before
 * has begun: their records are certain.
 */
import { isKind, type PendingEffect } from './pending-effect.ts'

export class ToolStarts {
  /** Put on record, with nothing after them but their like. */
  #last: PendingEffect[] = []
  /** The key of a call that is put on record alone. */
  #alone: string | undefined
  /** Those that wait for it to begin. */
  #waiting: PendingEffect[] = []

  /** Whether the start of the call is put on record now; if not, `released` gives it later. */
  admits(effect: PendingEffect): boolean {
    if (!isAlone(effect)) return true
    if (this.#alone !== undefined) {
      this.#waiting.push(effect)
      return false
    }
    this.#alone = effect.key
    return true
  }

  /** The call with this key has begun, or never will. Gives the one whose start is put on record next. */
  released(key: string): PendingEffect | undefined {
    if (this.#alone !== key) return undefined
    const next = this.#waiting.findIndex((effect) => effect.state === 'requested')
    const effect = this.#waiting[next]
    this.#waiting = effect === undefined ? [] : this.#waiting.slice(next + 1)
    this.#alone = effect?.key
    return effect
  }

  recorded(effect: PendingEffect): void {
    this.#last.push(effect)
  }

  /** Something else is on record. */
  passed(): void {
    if (this.#last.length > 0) this.#last = []
  }

  /** Those that may not have begun. */
  get uncertain(): ReadonlySet<PendingEffect> {
    return new Set(this.#last.slice(1).filter((effect) => !isAlone(effect)))
  }
}

/** An attempt before was interrupted. */
function isAlone(effect: PendingEffect): boolean {
  return isKind(effect, 'tool') && effect.request.input.isAgain === true
}
