/** Replays the journal of a run into an engine, to its end. */
import { deliverChecked } from './check-entry.ts'
import type { Engine } from '../engine/engine.ts'
import type { JournalEntry } from '../journal/journal.ts'

/** Performs and appends nothing. Throws a `JournalMismatchError` at the first entry that does not fit the run. */
export function resumeFrom(engine: Engine, journal: readonly JournalEntry[]): void {
  engine.beginReplay()
  journal.forEach((entry, position) => deliverChecked(engine, entry, position))
}
