/** Brings an engine to where the journal of its run ends. */
import { deliverChecked } from './check-entry.ts'
import type { Engine } from '../engine/engine.ts'
import type { JournalEntry } from '../journal/journal.ts'

/** Performs and appends nothing. Throws a `JournalMismatchError` at the first entry that the run would not have led to. */
export function resumeFrom(engine: Engine, journal: readonly JournalEntry[]): void {
  engine.beginReplay()
  journal.forEach((entry, position) => deliverChecked(engine, entry, position))
}
