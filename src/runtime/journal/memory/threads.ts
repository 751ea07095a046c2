/** Threads and working memory, in memory. */
import { threadOfAnother, type MemoryStorage, type Thread, type ThreadMessage } from '../memory-storage.ts'
import { expiredOf } from './expired.ts'
import type { MemoryBlobs } from './blobs.ts'
import { blobRefsIn } from '../../files/blob-refs.ts'
import type { Expiry, Page } from '../run-index.ts'

interface StoredThread {
  thread: Thread
  readonly messages: Map<string, ThreadMessage>
}

/** By run: the resource that the thread will belong to. */
type Claims = Map<string, { readonly owner: string | undefined }>

/** The storage, and what the store itself does with threads. */
export interface MemoryThreads {
  readonly memory: MemoryStorage
  readonly threads: {
    /** Gives up the claims of a run, within the append that ends it. */
    readonly releaseNow: (runId: string) => void
    readonly has: (threadId: string) => boolean
    readonly unused: (expiry: Expiry) => Page<string>
  }
}

/** `isInUse`: whether an unfinished run began with the thread. */
export function memoryThreads(blobs: MemoryBlobs, isInUse: (threadId: string) => boolean): MemoryThreads {
  const threads = new Map<string, StoredThread>()
  const claims = new Map<string, Claims>()
  const claimedBy = new Map<string, Set<string>>()
  const workingMemories = new Map<string, string>()
  const ownerOf = (threadId: string): { readonly owner: string | undefined } | undefined => {
    const stored = threads.get(threadId)
    if (stored !== undefined) return { owner: stored.thread.resourceId }
    const [claim] = claims.get(threadId)?.values() ?? []
    return claim
  }
  const messages = (threadId: string, last?: number): ThreadMessage[] => {
    const all = [...(threads.get(threadId)?.messages.values() ?? [])]
    return last === undefined ? all : last === 0 ? [] : all.slice(-last)
  }
  const releaseNow = (runId: string): void => {
    for (const threadId of claimedBy.get(runId) ?? []) {
      const ofThread = claims.get(threadId)
      ofThread?.delete(runId)
      if (ofThread?.size === 0) claims.delete(threadId)
    }
    claimedBy.delete(runId)
  }
  const memory: MemoryStorage = {
    async threads({ threadId, resourceId, conversationId }) {
      const among = threadId === undefined ? threads.values() : [threads.get(threadId) ?? []].flat()
      return [...among]
        .filter(
          ({ thread, messages }) =>
            (resourceId === undefined || thread.resourceId === resourceId) &&
            (conversationId === undefined ||
              [...messages.values()].some((message) => message.conversationId === conversationId)),
        )
        .map(({ thread }) => thread)
    },
    async messages(threadId, { last, runId, resourceId }) {
      if (runId === undefined) return messages(threadId, last)
      const { owner } = ownerOf(threadId) ?? { owner: resourceId || undefined }
      if (owner !== undefined && owner !== resourceId) throw threadOfAnother(threadId)
      if (!threads.has(threadId)) {
        const ofThread: Claims = claims.get(threadId) ?? new Map()
        claims.set(threadId, ofThread.set(runId, { owner }))
        claimedBy.set(runId, (claimedBy.get(runId) ?? new Set()).add(threadId))
      }
      const recalled = messages(threadId, last)
      if (!blobs.isEmpty()) blobs.holdNow(blobRefsIn(JSON.stringify(recalled)), { runId })
      return recalled
    },
    async save(threadId, added, resourceId) {
      const { owner } = ownerOf(threadId) ?? { owner: resourceId || undefined }
      if (owner !== undefined && owner !== resourceId) throw threadOfAnother(threadId)
      const at = added.at(-1)?.at ?? 0
      const known = threads.get(threadId) ?? {
        thread: { id: threadId, createdAt: at, updatedAt: at, ...(owner && { resourceId: owner }) },
        messages: new Map<string, ThreadMessage>(),
      }
      for (const message of added) known.messages.set(message.id, { ...message })
      known.thread = { ...known.thread, updatedAt: Math.max(known.thread.updatedAt, at) }
      threads.set(threadId, known)
      if (!blobs.isEmpty()) blobs.holdNow(blobRefsIn(JSON.stringify(added)), { threadId })
      blobs.begun({ threadId })
    },
    async remove(removal) {
      if ('runId' in removal) return releaseNow(removal.runId)
      const { threadId, unusedSince } = removal
      const updatedAt = threads.get(threadId)?.thread.updatedAt ?? 0
      if (unusedSince !== undefined && (isInUse(threadId) || updatedAt >= unusedSince)) return
      threads.delete(threadId)
      blobs.releaseNow({ threadId })
    },
    async workingMemory(resourceId, content) {
      if (content !== undefined) workingMemories.set(resourceId, content)
      return workingMemories.get(resourceId)
    },
  }
  return {
    memory,
    threads: {
      releaseNow,
      has: (threadId) => threads.has(threadId),
      unused(expiry) {
        const unused = [...threads.values()].flatMap(({ thread }) => (isInUse(thread.id) ? [] : thread))
        return expiredOf(unused, expiry)
      },
    },
  }
}
