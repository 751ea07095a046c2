/** Threads and working memory, in memory. */
import { RunNotFoundError } from '../../../errors.ts'
import { systemClock } from '../../clock.ts'
import {
  resourceCursor,
  resourceOf,
  threadOfAnother,
  type MemoryResource,
  type MemoryStorage,
  type Thread,
  type ThreadMessage,
} from '../memory-storage.ts'
import { expiredOf } from './expired.ts'
import type { MemoryBlobs } from './blobs.ts'
import { blobRefsIn } from '../../files/blob-refs.ts'
import type { RunHolder } from '../../files/blob-storage.ts'
import type { Expiry, Page } from '../run-index.ts'

interface StoredThread {
  thread: Thread
  readonly messages: Map<string, ThreadMessage>
}

/** By run: the resource that the thread will belong to. */
type Claims = Map<string, { readonly owner: string | undefined }>

interface StoredNotes {
  readonly content: string
  readonly updatedAt: number
}

export interface MemoryThreadsOptions {
  readonly blobs: MemoryBlobs
  /** Whether an unfinished run began with the thread. */
  readonly isInUse: (threadId: string) => boolean
  readonly hasRun: (runId: string) => boolean
}

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

export function memoryThreads({ blobs, isInUse, hasRun }: MemoryThreadsOptions): MemoryThreads {
  const threads = new Map<string, StoredThread>()
  const claims = new Map<string, Claims>()
  const claimedBy = new Map<string, Set<string>>()
  const notes = new Map<string, StoredNotes>()
  const assertThere = ({
    runId,
    hasBegun,
  }: Pick<RunHolder, 'hasBegun'> & { readonly runId: string }): void => {
    if (hasBegun === true && !hasRun(runId)) throw new RunNotFoundError(runId)
  }
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
  const resourceNamed = (resourceId: string): MemoryResource => {
    const { updatedAt: notedAt } = notes.get(resourceId) ?? {}
    const own = [...threads.values()].filter(({ thread }) => thread.resourceId === resourceId)
    return { resourceId, threads: own.length, ...(notedAt === undefined ? {} : { notedAt }) }
  }
  const memory: MemoryStorage = {
    async threads({ threadId, resourceId, conversationId, messagesOf }) {
      const among = threadId === undefined ? threads.values() : [threads.get(threadId) ?? []].flat()
      return [...among]
        .filter(
          ({ thread, messages }) =>
            (resourceId === undefined || thread.resourceId === resourceId) &&
            (conversationId === undefined ||
              [...messages.values()].some((message) => message.conversationId === conversationId)) &&
            (messagesOf === undefined ||
              (thread.resourceId !== messagesOf &&
                [...messages.values()].some((message) => message.resourceId === messagesOf))),
        )
        .map(({ thread }) => thread)
    },
    async messages(threadId, { last, runId, resourceId, ...by }) {
      if (runId === undefined) return messages(threadId, last)
      assertThere({ ...by, runId })
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
    async save(threadId, added, resourceId, by) {
      if (by !== undefined) assertThere(by)
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
      const { threadId, unusedSince, atOnce } = removal
      const updatedAt = threads.get(threadId)?.thread.updatedAt ?? 0
      if (unusedSince !== undefined && (isInUse(threadId) || updatedAt >= unusedSince)) return
      threads.delete(threadId)
      blobs.releaseNow({ threadId }, atOnce)
    },
    async workingMemory(resourceId, content, by) {
      if (by !== undefined) assertThere(by)
      if (content !== undefined) notes.set(resourceId, { content, updatedAt: systemClock.now() })
      return notes.get(resourceId)?.content
    },
    async removeNotes(resourceId, unusedSince = Number.POSITIVE_INFINITY) {
      const found = notes.get(resourceId)
      return found !== undefined && found.updatedAt < unusedSince && notes.delete(resourceId)
    },
    async oldNotes(expiry) {
      const all = Array.from(notes, ([id, { updatedAt }]) => ({ id, updatedAt }))
      return expiredOf(all, expiry).items
    },
    async removeMessages(threadId, resourceId) {
      const stored = threads.get(threadId)
      if (stored === undefined) return 0
      const gone = [...stored.messages.values()].filter((message) => message.resourceId === resourceId)
      for (const { id } of gone) stored.messages.delete(id)
      const named = new Set(blobRefsIn(JSON.stringify([...stored.messages.values()])))
      const refs = new Set(blobRefsIn(JSON.stringify(gone)))
      blobs.releaseRefs(
        [...refs].filter((ref) => !named.has(ref)),
        { threadId },
      )
      if (gone.length > 0 && stored.messages.size === 0) threads.delete(threadId)
      return gone.length
    },
    async resources({ limit = Number.POSITIVE_INFINITY, before }) {
      const after = resourceOf(before)
      const owners = [...threads.values()].flatMap(({ thread, messages }) => [
        thread.resourceId ?? '',
        ...Array.from(messages.values(), ({ resourceId = '' }) => resourceId),
      ])
      const found = [...new Set([...owners, ...notes.keys()])].filter((id) => id > after).toSorted(inOrder)
      const items = found.slice(0, limit)
      const last = items.at(-1)
      return {
        items: items.map(resourceNamed),
        ...(last === undefined || items.length === found.length ? {} : { next: resourceCursor(last) }),
      }
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

function inOrder(one: string, other: string): number {
  return one < other ? -1 : one === other ? 0 : 1
}
