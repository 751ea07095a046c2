/**
 * How far a reader has got in each journal of a run. Only journals in progress have a place: the place of one that has ended
 * is implied by that of its parent, which is behind the entry that took its report. So there are as many places as workflows
 * under way, however many have ended.
 */
import { SparseMap } from '../../actors/values/sparse.ts'
import type { JournalPart } from './journal-part.ts'
import type { EventPlace } from './run-event.ts'

/** A place in the journal at `path`; `nth` is -1 while no event of it was told. */
export interface Place {
  readonly path: string
  readonly entry: number
  readonly nth: number
}

type Last = Omit<Place, 'path'>

const none: Last = { entry: 0, nth: -1 }

export class Places {
  /** By path. Each journal that was begun before the place of its parent is here, unless it has ended before that place. */
  readonly #last = new SparseMap<string, Last>()

  constructor(places: readonly Place[] = []) {
    for (const { path, entry, nth } of places) this.#last.set(path, { entry, nth })
  }

  /** Whether the event at a place was not told. */
  isBefore({ part, entry, nth }: EventPlace): boolean {
    const last = this.#last.get(part.path)
    if (last === undefined) return !this.#isOver(part)
    return entry > last.entry || (entry === last.entry && nth > last.nth)
  }

  /** Of a journal without a place: whether it was begun before, and so has ended, or is still to begin. */
  #isOver({ origin }: JournalPart): boolean {
    if (origin === undefined) return false
    const { parent, entry } = origin
    const last = this.#last.get(parent.path)
    return last === undefined ? this.#isOver(parent) : last.entry > entry
  }

  /** The event at a place is told. */
  moveTo({ part, entry, nth }: EventPlace): void {
    const before = this.#last.get(part.path) ?? none
    this.#last.set(part.path, { entry, nth })
    for (let passed = before.entry; passed < entry; passed++) {
      for (const begun of part.begunBy(passed)) this.#begin(begun, entry)
      for (const ended of part.endedBy(passed + 1)) this.#end(ended)
    }
  }

  #begin(part: JournalPart, entry: number): void {
    if (!part.hasEndedBy(entry) && !this.#last.has(part.path)) this.#last.set(part.path, none)
  }

  #end(part: JournalPart): void {
    this.#last.delete(part.path)
    for (const { path } of part.below()) this.#last.delete(path)
  }

  *[Symbol.iterator](): Generator<Place, void> {
    for (const [path, last] of this.#last) yield { path, ...last }
  }
}
