/** A journal as text. */
import type { JournalEntry } from './journal.ts'

/** One entry a line, as JSON. */
export function journalText(journal: readonly JournalEntry[]): string {
  return journal.map((entry) => `${JSON.stringify(entry)}\n`).join('')
}
