/** The store of a dry fork: in memory. Threads, notes and configuration of its origin are read there, and written here alone. */
import type { AnyAgent } from '../definition/definition.ts'
import type { BlobStorage } from '../files/blob-storage.ts'
import type { ConfigStorage } from '../journal/config-storage.ts'
import { memoryStore } from '../journal/memory/memory-store.ts'
import type { MemoryStorage, ThreadMessage } from '../journal/memory-storage.ts'
import type { Store } from '../journal/store.ts'
import type { DryClock } from './dry-clock.ts'

/** The store that is read and never written. */
export type DrySource = Pick<Store, 'read'> & Partial<Pick<Store, 'memory' | 'config' | 'blobs'>>

/** The agents and the store of the run that is forked. */
export interface DryHost {
  readonly agents: readonly AnyAgent[]
  /** It is read, and never written. */
  readonly store: DrySource
}

/** `clock`: stands still while the store is at work. */
export function dryStore(source: DrySource, clock: Pick<DryClock, 'hold'>): Store {
  const own = memoryStore({ endedRuns: Number.POSITIVE_INFINITY })
  return {
    ...own,
    append: (appends) => clock.hold(Promise.resolve(own.append(appends))),
    memory: memoryOver(own.memory, source.memory),
    config: configOver(source.config ?? own.config),
    blobs: blobsOver(own.blobs, source.blobs),
  }
}

function blobsOver(own: BlobStorage, source: BlobStorage | undefined): BlobStorage {
  const get = async (ref: string): Promise<Uint8Array | undefined> => (await own.get(ref)) ?? source?.get(ref)
  return {
    ...own,
    get,
    async put(ref, bytes, holder) {
      if (await own.put(ref, bytes, holder)) return true
      const copy = bytes ?? (await get(ref))
      return copy === undefined ? false : own.put(ref, copy, holder)
    },
  }
}

/** Claims of threads are made here too: the origin is read without the name of the run. */
function memoryOver(own: MemoryStorage, source: MemoryStorage | undefined): MemoryStorage {
  if (source === undefined) return own
  const isHere = async (threadId: string): Promise<boolean> => (await own.threads({ threadId })).length > 0
  const copied = async (threadId: string): Promise<void> => {
    if (await isHere(threadId)) return
    const [thread] = await source.threads({ threadId })
    if (thread === undefined) return
    const messages: readonly ThreadMessage[] = await source.messages(threadId, {})
    await own.save(threadId, messages, thread.resourceId)
  }
  return {
    ...own,
    async threads(filter) {
      const { threadId } = filter
      if (threadId !== undefined && !(await isHere(threadId))) return source.threads(filter)
      return own.threads(filter)
    },
    async messages(threadId, reading) {
      await copied(threadId)
      return own.messages(threadId, reading)
    },
    async save(threadId, ...rest) {
      await copied(threadId)
      await own.save(threadId, ...rest)
    },
    async workingMemory(resourceId, content, by) {
      if (content !== undefined) return own.workingMemory(resourceId, content, by)
      return (await own.workingMemory(resourceId)) ?? source.workingMemory(resourceId)
    },
  }
}

/** A dry fork sets no item. */
function configOver(source: ConfigStorage): ConfigStorage {
  return { items: (kind) => source.items(kind), set: async () => undefined }
}
