/** Journals in memory: for tests, and for runs that need not outlive their process. */
import type { JournalEntry, RunStore } from './journal.ts'

export function memoryStore(): RunStore {
  const journals = new Map<string, JournalEntry[]>()
  return {
    append(appends) {
      for (const { runId, entry } of appends) {
        const journal = journals.get(runId)
        if (journal === undefined) journals.set(runId, [entry])
        else journal.push(entry)
      }
    },
    async read(runId) {
      return journals.get(runId)?.slice()
    },
    async list() {
      return [...journals.keys()]
    },
  }
}
