/** A store with the journal of a run that says nothing of its agents: they are taken as they are, and strictly. */
import { memoryStore, type JournalEntry, type Store } from 'troupe'
import { firstLease } from '../../src/runtime/journal/store.ts'

export async function withoutProgram(store: Store, runId: string): Promise<Store> {
  const journal = (await store.read(runId)) ?? []
  const plain = memoryStore()
  await plain.append(journal.map((entry) => ({ runId, entry: unrecorded(entry), lease: firstLease(runId) })))
  return plain
}

export function unrecorded(entry: JournalEntry): JournalEntry {
  if (entry.type !== 'run.started') return entry
  const { agents: _agents, ...started } = entry
  return started
}
