/** Threads and working memory, in memory. */
import type { MemoryStorage, Thread, ThreadMessage } from './memory-storage.ts'

export function memoryThreads(): MemoryStorage {
  const threads = new Map<string, { thread: Thread; readonly messages: Map<string, ThreadMessage> }>()
  const workingMemories = new Map<string, string>()
  return {
    async thread(threadId) {
      return threads.get(threadId)?.thread
    },
    async threads({ resourceId } = {}) {
      return Array.from(threads.values(), ({ thread }) => thread).filter(
        (thread) => resourceId === undefined || thread.resourceId === resourceId,
      )
    },
    async messages(threadId, last) {
      const all = [...(threads.get(threadId)?.messages.values() ?? [])]
      return last === undefined ? all : last === 0 ? [] : all.slice(-last)
    },
    async save(threadId, messages, resourceId) {
      const at = messages.at(-1)?.at ?? 0
      const known = threads.get(threadId) ?? {
        thread: { id: threadId, createdAt: at, updatedAt: at, ...(resourceId && { resourceId }) },
        messages: new Map<string, ThreadMessage>(),
      }
      for (const message of messages) known.messages.set(message.id, { ...message })
      known.thread = { ...known.thread, updatedAt: Math.max(known.thread.updatedAt, at) }
      threads.set(threadId, known)
    },
    async deleteThread(threadId) {
      threads.delete(threadId)
    },
    async workingMemory(resourceId) {
      return workingMemories.get(resourceId)
    },
    async setWorkingMemory(resourceId, content) {
      workingMemories.set(resourceId, content)
    },
  }
}
