/** Recorded runs, to be looked at on any machine: nothing can be done to them. */
import { ConfigurationError, type Store, memoryStore } from '../../index.ts'
import { firstLease, journalFrom } from '../../kit/host.ts'
import type { ServiceInfo } from '../wire/routes.ts'

const isRecorded = 'This is a recording: there is no run any more.'

/** What an inspector of recordings says of itself. */
export const recordedInspection: Pick<ServiceInfo, 'engine' | 'unavailable'> = {
  engine: 'recording',
  unavailable: {
    signal: isRecorded,
    end: isRecorded,
    fork: isRecorded,
    delete: isRecorded,
    blobs: 'A recording names files, and has no bytes of them.',
  },
}

/** A store with these runs. `recordings`: the texts of `recordRun`. Rejects with a `ConfigurationError` for another text. */
export async function recordedStore(recordings: readonly string[]): Promise<Store> {
  const store = memoryStore({ endedRuns: Number.POSITIVE_INFINITY })
  for (const text of recordings) {
    const journal = journalFrom(text, 'inspect')
    const [started] = journal
    if (started?.type !== 'run.started')
      throw new ConfigurationError('inspect: a recording begins with the entry "run.started".')
    const { runId } = started
    await store.append(journal.map((entry) => ({ runId, entry, lease: firstLease(runId) })))
  }
  return store
}
