/**
 * A journal of a run. A run in one process has one; on Restate each workflow has its own. All events of the journal of a
 * subagent come after those of the entry by which its parent began it, and before those of the entry by which its parent
 * took its report: there its parent's journal tells how far it was told.
 */
import { SparseMap } from '../../actors/values/sparse.ts'

/** The entry of its parent's journal that began a journal. */
export interface JournalOrigin {
  readonly parent: JournalPart
  /** Position in the journal of the parent, from 0. */
  readonly entry: number
}

export class JournalPart {
  /** The path of the agent whose journal it is; empty for the journal of the root agent. */
  readonly path: string
  /** Absent: it is the journal of the root agent. */
  readonly origin: JournalOrigin | undefined
  /** By entries: the journals that they began. */
  readonly #begun = new SparseMap<number, JournalPart[]>()
  /** By entries: the journals whose reports they took. */
  readonly #ended = new SparseMap<number, JournalPart[]>()
  #endedBy: number | undefined

  constructor(path = '', origin?: JournalOrigin) {
    this.path = path
    this.origin = origin
  }

  /** The journal of a subagent, which an entry of this one has begun. */
  begin(path: string, entry: number): JournalPart {
    const part = new JournalPart(path, { parent: this, entry })
    added(this.#begun, entry, part)
    return part
  }

  /** The report is taken by an entry of the parent's journal. */
  end(entry: number): void {
    if (this.origin === undefined || this.#endedBy !== undefined) return
    this.#endedBy = entry
    added(this.origin.parent.#ended, entry, this)
  }

  /** Whether the parent has taken its report by an entry, or before. */
  hasEndedBy(entry: number): boolean {
    return this.#endedBy !== undefined && this.#endedBy <= entry
  }

  begunBy(entry: number): readonly JournalPart[] {
    return this.#begun.get(entry) ?? []
  }

  endedBy(entry: number): readonly JournalPart[] {
    return this.#ended.get(entry) ?? []
  }

  /** All journals below it. */
  *below(): Generator<JournalPart, void> {
    for (const parts of this.#begun.values()) {
      for (const part of parts) {
        yield part
        yield* part.below()
      }
    }
  }
}

function added(parts: SparseMap<number, JournalPart[]>, entry: number, part: JournalPart): void {
  const known = parts.get(entry)
  if (known === undefined) parts.set(entry, [part])
  else known.push(part)
}
