/** The memory of a store as one run has it: each write names the run, and each message the resource for which it is saved. */
import type { RunHolder } from '../files/blob-storage.ts'
import type { MemoryStorage } from './memory-storage.ts'

export function memoryOfRun(storage: MemoryStorage, by: RunHolder): MemoryStorage {
  const { hasBegun } = by
  return {
    threads: (filter) => storage.threads(filter),
    messages: (threadId, reading) =>
      storage.messages(
        threadId,
        reading.runId === undefined || hasBegun === undefined ? reading : { ...reading, hasBegun },
      ),
    save: (threadId, messages, resourceId) =>
      storage.save(
        threadId,
        resourceId === undefined || resourceId === ''
          ? messages
          : messages.map((message) => ({ resourceId, ...message })),
        resourceId,
        by,
      ),
    remove: (removal) => storage.remove(removal),
    workingMemory: (resourceId, content) => storage.workingMemory(resourceId, content, by),
  }
}
