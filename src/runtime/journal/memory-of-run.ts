/**
 * The memory and the files of a store as one run has them: each write names the run, and each message the resource for which it is
 * saved. Nothing is written for a run that was deleted. A port of another store knows none of the runs: it writes for those that
 * the store of the runs has.
 */
import { RunNotFoundError } from '../../errors.ts'
import { heldBy, type BlobAccess, type RunHolder } from '../files/blob-storage.ts'
import type { MemoryStorage } from './memory-storage.ts'
import type { Store } from './store.ts'

type RunsOf = Pick<Store, 'list'>

async function has(store: RunsOf, runId: string): Promise<boolean> {
  return (await store.list('runs', { runId, limit: 1 })).items.length > 0
}

/** The holder for a port that knows the run, and for one that knows none. */
function holdersOf(runId: string): { readonly begun: RunHolder; readonly unknown: RunHolder } {
  return { begun: { runId, isStored: true, hasBegun: true }, unknown: { runId, isStored: true } }
}

/** `store`: of the run. Absent: its journal is elsewhere, and it is not known whether it was deleted. */
export function memoryOfRun(storage: MemoryStorage, runId: string, store?: RunsOf): MemoryStorage {
  const { begun, unknown } = holdersOf(runId)
  const written = async <Written>(write: (by: RunHolder) => Promise<Written>): Promise<Written> => {
    if (store === undefined) return write({ runId })
    try {
      return await write(begun)
    } catch (error) {
      if (!(error instanceof RunNotFoundError) || !(await has(store, runId))) throw error
      return write(unknown)
    }
  }
  return {
    threads: (filter) => storage.threads(filter),
    messages: (threadId, reading) =>
      reading.runId === undefined
        ? storage.messages(threadId, reading)
        : written(({ hasBegun }) =>
            storage.messages(threadId, hasBegun === undefined ? reading : { ...reading, hasBegun }),
          ),
    save: (threadId, messages, resourceId) => {
      const saved =
        resourceId === undefined || resourceId === ''
          ? messages
          : messages.map((message) => ({ resourceId, ...message }))
      return written((by) => storage.save(threadId, saved, resourceId, by))
    },
    remove: (removal) => storage.remove(removal),
    workingMemory: (resourceId, content) => written((by) => storage.workingMemory(resourceId, content, by)),
  }
}

export function blobsOfRun(storage: BlobAccess, store: RunsOf, runId: string): BlobAccess {
  const { begun, unknown } = holdersOf(runId)
  return heldBy(storage, begun, async () => ((await has(store, runId)) ? unknown : undefined))
}
