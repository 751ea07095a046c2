/**
 * Tracks which calls had begun when their process ended. Calls of one step are recorded together and then begun one after the
 * other: of the last such records, only the first call has begun for certain. A call that was interrupted before is recorded
 * alone: its record is certain.
 */
import { isKind, type PendingEffect } from './pending-effect.ts'

export class RecordedStarts {
  /** Recorded starts that no other entry follows. */
  #last: PendingEffect[] = []

  recorded(effect: PendingEffect): void {
    this.#last.push(effect)
  }

  /** An entry of another kind is on record. */
  passed(): void {
    if (this.#last.length > 0) this.#last = []
  }

  /** The calls that may not have begun. */
  get uncertain(): ReadonlySet<PendingEffect> {
    return new Set(this.#last.slice(1).filter((effect) => !isRecordedAlone(effect)))
  }
}

/** Whether an earlier attempt was interrupted. */
export function isRecordedAlone(effect: PendingEffect): boolean {
  return isKind(effect, 'tool') && effect.request.input.isAgain === true
}
