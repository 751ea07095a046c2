/** Two releases on one store, whose charts have different protocols. */
import type { JournalEntry, Store } from 'troupe'
import { protocolVersion } from '../../src/runtime/journal/journal.ts'

/**
 * The store as a release sees it whose charts have `protocol`: its own runs are of the protocol that this code has, and
 * those of this release are of another one.
 */
export function asRelease(store: Store, protocol: number): Store {
  const swapped = (entry: JournalEntry): JournalEntry => {
    if (entry.type !== 'run.started') return entry
    if (entry.protocol === protocol) return { ...entry, protocol: protocolVersion }
    return entry.protocol === protocolVersion ? { ...entry, protocol } : entry
  }
  return {
    ...store,
    append: (appends) =>
      store.append(
        appends.map(({ entry, ...append }) =>
          entry === undefined ? append : { ...append, entry: swapped(entry) },
        ),
      ),
    async read(runId, from) {
      return (await store.read(runId, from))?.map(swapped)
    },
  }
}
