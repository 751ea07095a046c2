/**
 * Tracks which tool calls had begun when their process ended. The start of a call is recorded before the call begins.
 * Calls of one step are recorded together and then begun one after the other: of the last such records, only the first
 * call has begun for certain. Calls that were interrupted before are recorded one at a time, each when the call before
 * it has begun: their records are certain.
 */
import { isKind, type PendingEffect } from './pending-effect.ts'

export class ToolStarts {
  /** Recorded starts that no other entry follows. */
  #last: PendingEffect[] = []
  /** The key of the call whose start is recorded alone. */
  #alone: string | undefined
  /** Calls that wait for that call to begin. */
  #waiting: PendingEffect[] = []

  /** Whether the start of the call is recorded now; if not, `released` returns the call later. */
  admits(effect: PendingEffect): boolean {
    if (!isAlone(effect)) return true
    if (this.#alone !== undefined) {
      this.#waiting.push(effect)
      return false
    }
    this.#alone = effect.key
    return true
  }

  /** The call with this key has begun, or never will. Returns the call whose start is recorded next. */
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

  /** An entry of another kind is on record. */
  passed(): void {
    if (this.#last.length > 0) this.#last = []
  }

  /** The calls that may not have begun. */
  get uncertain(): ReadonlySet<PendingEffect> {
    return new Set(this.#last.slice(1).filter((effect) => !isAlone(effect)))
  }
}

/** Whether an earlier attempt was interrupted. */
function isAlone(effect: PendingEffect): boolean {
  return isKind(effect, 'tool') && effect.request.input.isAgain === true
}
