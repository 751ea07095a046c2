/**
 * The order in which the starts of calls are recorded. Calls that were interrupted before are recorded one at a time, each when
 * the call before it has begun.
 */
import type { PendingEffect } from '../../state/effects/pending-effect.ts'
import { isRecordedAlone } from '../../state/effects/recorded-starts.ts'

export class ToolStarts {
  /** The key of the call whose start is recorded alone. */
  #alone: string | undefined
  /** Calls that wait for that call to begin. */
  #waiting: PendingEffect[] = []

  /** Whether the start of the call is recorded now; if not, `released` returns the call later. */
  admits(effect: PendingEffect): boolean {
    if (!isRecordedAlone(effect)) return true
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
}
