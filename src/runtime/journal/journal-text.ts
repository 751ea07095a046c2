/** A journal as text. */
import { isRecord } from '../../actors/values/json.ts'
import { ConfigurationError } from '../../errors.ts'
import type { JournalEntry } from './journal.ts'

/** One entry a line, as JSON. */
export function journalText(journal: readonly JournalEntry[]): string {
  return journal.map((entry) => `${JSON.stringify(entry)}\n`).join('')
}

/** Throws a `ConfigurationError` for a line that is no entry. `where`: the function that was given the text. */
export function journalFrom(text: string, where: string): readonly JournalEntry[] {
  return text.split('\n').flatMap((line, index) => {
    if (line.trim() === '') return []
    const entry = parsedLine(line)
    if (isEntry(entry)) return [entry]
    throw new ConfigurationError(
      `${where}: line ${index + 1} is no entry of a journal, as JSON: ${line.slice(0, 80)}`,
    )
  })
}

/** Only the replay shows whether the entry fits the run. */
function isEntry(value: unknown): value is JournalEntry {
  return isRecord(value) && typeof value['type'] === 'string' && typeof value['at'] === 'number'
}

function parsedLine(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined // the caller reports it, with its line
  }
}
