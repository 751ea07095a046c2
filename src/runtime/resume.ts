/** Brings an engine to where the journal of its run ends, and lets it go on from there. */
import type { Engine } from './engine.ts'
import type { JournalEntry } from './journal.ts'
import { deliverChecked } from './replay.ts'

/** Throws a `JournalMismatchError` at the first entry that the run would not have led to. */
export function resumeFrom(engine: Engine, journal: readonly JournalEntry[]): void {
  engine.beginReplay()
  journal.forEach((entry, position) => deliverChecked(engine, entry, position))
}
