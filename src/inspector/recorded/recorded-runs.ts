/** Recorded runs, to be looked at on any machine: nothing can be done to them. */
import { ConfigurationError } from '../../errors.ts'
import type { AnyAgent } from '../../runtime/definition/definition.ts'
import { journalFrom } from '../../runtime/journal/journal-text.ts'
import { memoryStore } from '../../runtime/journal/memory/memory-store.ts'
import { firstLease } from '../../runtime/journal/store.ts'
import type { ServiceInfo } from '../wire/routes.ts'
import { storedRuns, type StoredRuns } from '../stored/stored-runs.ts'

export interface RecordedRunsOptions {
  /** The texts of `recordRun`. */
  readonly recordings: readonly string[]
  readonly agents: readonly AnyAgent[]
  readonly title: string
}

const isRecorded = 'This is a recording: there is no run any more.'

const unavailable: ServiceInfo['unavailable'] = {
  signal: isRecorded,
  fork: isRecorded,
  delete: isRecorded,
  blobs: 'A recording names files, and has no bytes of them.',
}

/** Rejects with a `ConfigurationError` for a text that is no recording. */
export async function recordedRuns({ recordings, agents, title }: RecordedRunsOptions): Promise<StoredRuns> {
  const store = memoryStore({ endedRuns: Number.POSITIVE_INFINITY })
  for (const text of recordings) {
    const journal = journalFrom(text, 'inspect')
    const [started] = journal
    if (started?.type !== 'run.started')
      throw new ConfigurationError('inspect: a recording begins with the entry "run.started".')
    const { runId } = started
    await store.append(journal.map((entry) => ({ runId, entry, lease: firstLease(runId) })))
  }
  return { ...storedRuns({ store, agents, title }), inspection: { engine: 'recording', title, unavailable } }
}
