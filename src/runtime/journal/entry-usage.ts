/** The usage of model calls that entries of a journal report. */
import { addUsage, type Usage } from '../../actors/usage.ts'
import { isRecord } from '../../actors/values/json.ts'
import type { JournalEntry } from './journal.ts'

/** The usage of the model call of which the entry is the outcome. */
export function entryUsage(entry: JournalEntry): Usage | undefined {
  if (entry.type !== 'effect.settled') return undefined
  const { kind, settlement } = entry
  if (kind !== 'model' && kind !== 'compaction') return undefined
  const value: unknown = settlement.value
  if (!isRecord(value)) return undefined
  const { usage } = value
  return isRecord(usage) ? (usage as object as Usage) : undefined
}

/** The usage of a run with one more entry. The entry that ends the run has the usage of the whole run. */
export function usageWith(before: Usage | undefined, entry: JournalEntry): Usage | undefined {
  if (entry.type === 'run.settled') return entry.usage
  const usage = entryUsage(entry)
  return usage === undefined || before === undefined ? (usage ?? before) : addUsage(before, usage)
}
