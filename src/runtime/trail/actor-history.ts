/**
 * An actor of a run over all entries of its journal. It keeps the data of each snapshot that an entry has left, which shares
 * its storage with those before it, and not the snapshot itself: that would keep every actor of the run in memory.
 */
import { viewOf, type ActorFrame, type ActorIdentity, type ActorView } from '../replay/actor-view.ts'

interface Change {
  /** The number of entries that led to it. */
  readonly after: number
  readonly frame: ActorFrame<ActorHistory>
}

export class ActorHistory {
  readonly identity: ActorIdentity
  /** In the order of the entries. */
  #changes: readonly Change[] = []

  constructor(identity: ActorIdentity) {
    this.identity = identity
  }

  changed(after: number, frame: ActorFrame<ActorHistory>): void {
    this.#changes = appended(this.#changes, { after, frame })
  }

  /** The actor after a number of entries; `undefined` before it existed. */
  at(entries: number): ActorFrame<ActorHistory> | undefined {
    return lastUntil(this.#changes, entries)?.frame
  }

  /** The view of the actor after a number of entries, with those below it; none before it existed. */
  views(entries: number): readonly ActorView[] {
    const frame = this.at(entries)
    if (frame === undefined) return []
    const children = frame.children.flatMap((child) => child.views(entries))
    return [viewOf(this.identity, frame, children)]
  }

  /** The actor at a path, itself or below, that existed after a number of entries. */
  find(path: string, entries: number): ActorHistory | undefined {
    if (this.identity.path === path) return this
    const next = this.at(entries)?.children.find(({ identity }) => `${path}/`.startsWith(`${identity.path}/`))
    return next?.find(path, entries)
  }
}

/** The last item that belongs to at most this number of entries: a binary search. */
export function lastUntil<Item extends { readonly after: number }>(
  items: readonly Item[],
  entries: number,
): Item | undefined {
  let low = 0
  for (let high = items.length; low < high;) {
    const middle = (low + high) >>> 1
    if ((items[middle] as Item).after <= entries) low = middle + 1
    else high = middle
  }
  return items[low - 1]
}

/** Most actors change twice: a list that is pushed to would reserve room for many more changes. */
const few = 4

function appended(changes: readonly Change[], change: Change): readonly Change[] {
  if (changes.length < few) return [...changes, change]
  ;(changes as Change[]).push(change)
  return changes
}
