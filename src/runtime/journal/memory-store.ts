/** A store in memory: for tests, and for runs that need not outlive their process. */
import type { BlobStorage } from '../files/blob-storage.ts'
import type { JournalEntry } from './journal.ts'
import type { ConfigItem, ConfigStorage } from './config-storage.ts'
import { threadOfAnother, type MemoryStorage, type Thread, type ThreadMessage } from './memory-storage.ts'
import type { JournalAppend, Lease, QueuedSignal, RunFilter, RunSummary, Store } from './store.ts'
import { summaryOf } from './run-summary.ts'

interface StoredRun {
  readonly entries: JournalEntry[]
  /** The newest lease; a released one has expired at 0. */
  lease: Lease
  passivated: { readonly wakeAt?: number } | undefined
  queue: QueuedSignal[]
}

/** Makes a store that keeps everything in memory, for tests and for runs that need not outlive their process. */
export function memoryStore(): Store {
  const { releaseNow, ...memory } = memoryThreads()
  const runs = new Map<string, StoredRun>()
  let queued = 0
  const isNewest = ({ runId, token }: Lease): boolean => runs.get(runId)?.lease.token === token
  /** The accepted answers of the runs appended to, but for those that these entries come from. */
  const unheard = (appends: readonly JournalAppend[], lost: ReadonlySet<string>): QueuedSignal[] =>
    [...new Set(appends.map(({ runId }) => runId))].flatMap((runId) =>
      lost.has(runId)
        ? []
        : (runs.get(runId)?.queue ?? []).filter(
            ({ id, claim }) => claim !== undefined && !appends.some(({ queued }) => queued === id),
          ),
    )
  return {
    memory,
    config: memoryConfig(),
    blobs: memoryBlobs(),
    append(appends) {
      const begun = new Map<string, number>()
      const lost = new Set<string>()
      for (const { runId, entry, lease } of appends) {
        const newest = runs.get(runId)?.lease.token ?? begun.get(runId)
        if (newest === undefined && entry.type === 'run.started') begun.set(runId, lease.token)
        else if (newest !== lease.token || entry.type === 'run.started') lost.add(runId)
      }
      const answered = unheard(appends, lost)
      const overtaken = new Set(answered.map(({ runId }) => runId))
      for (const { runId, entry, lease, queued } of appends) {
        if (lost.has(runId) || overtaken.has(runId)) continue
        const run = runs.get(runId)
        if (run === undefined) runs.set(runId, { entries: [entry], lease, passivated: undefined, queue: [] })
        else run.entries.push(entry)
        if (entry.type === 'run.settled') releaseNow(runId)
        if (run !== undefined && queued !== undefined) run.queue = run.queue.filter(({ id }) => id !== queued)
      }
      if (lost.size + answered.length > 0)
        return { lost: [...lost], ...(answered.length > 0 && { answered }) }
    },
    async read(runId, from = 0) {
      return runs.get(runId)?.entries.slice(from)
    },
    async list(filter = {}) {
      return Array.from(runs, ([runId, run]) => summaryOf(runId, run.entries, run.passivated)).filter(
        (summary) => matches(summary, filter),
      )
    },
    async claim(runId, owner, now, expiresAt, farthest = Number.POSITIVE_INFINITY) {
      const run = runs.get(runId)
      if (run === undefined) return undefined
      const { lease } = run
      const isHeld = lease.expiresAt > now && lease.expiresAt <= farthest
      if (lease.owner !== owner && isHeld) return undefined
      const wasPassivated = run.passivated
      run.lease = { runId, owner, token: lease.token + 1, expiresAt }
      run.passivated = undefined
      return wasPassivated === undefined ? run.lease : { ...run.lease, wasPassivated }
    },
    async renew(leases, expiresAt) {
      const lost = leases.filter((lease) => !isNewest(lease)).map((lease) => lease.runId)
      for (const lease of leases) {
        const run = runs.get(lease.runId)
        if (run !== undefined && isNewest(lease)) run.lease = { ...run.lease, expiresAt }
      }
      return lost
    },
    async release(leases) {
      for (const lease of leases) {
        const run = runs.get(lease.runId)
        if (run === undefined || !isNewest(lease)) continue
        run.lease = { ...run.lease, expiresAt: 0 }
        run.passivated = lease.passivated
      }
    },
    async enqueueSignal(runId, signal, claim) {
      const run = runs.get(runId)
      if (run === undefined) return 'outdated'
      if (claim === undefined) {
        run.queue.push({ id: ++queued, runId, signal })
        return 'accepted'
      }
      const { key, entries } = claim
      if (run.queue.some((other) => other.claim === key)) return 'claimed'
      if (run.entries.length !== entries) return 'outdated'
      run.queue.push({ id: ++queued, runId, signal, claim: key })
      return 'accepted'
    },
    async queuedSignals(runIds) {
      return Array.from(new Set(runIds)).flatMap((runId) => runs.get(runId)?.queue ?? [])
    },
    async dropSignals(ids) {
      for (const run of runs.values()) run.queue = run.queue.filter(({ id }) => !ids.includes(id))
    },
  }
}

function matches(summary: RunSummary, { status, agent, conversationId }: RunFilter): boolean {
  return (
    (status === undefined ||
      summary.status === status ||
      (status === 'unfinished' && summary.status !== 'settled')) &&
    (agent === undefined || summary.agent === agent) &&
    (conversationId === undefined || summary.conversationId === conversationId)
  )
}

/** Copies: callers may change their bytes. */
function memoryBlobs(): BlobStorage {
  const blobs = new Map<string, Uint8Array>()
  return {
    async put(ref, bytes) {
      if (!blobs.has(ref)) blobs.set(ref, bytes.slice())
    },
    get: async (ref) => blobs.get(ref)?.slice(),
  }
}

/** Configuration items. */
function memoryConfig(): ConfigStorage {
  const items = new Map<string, ConfigItem>()
  const idOf = (kind: string, key: string): string => JSON.stringify([kind, key])
  return {
    async items(kind) {
      return [...items.values()].filter((item) => item.kind === kind)
    },
    async set(item) {
      items.set(idOf(item.kind, item.key), item)
    },
    async delete(kind, key) {
      items.delete(idOf(kind, key))
    },
  }
}

interface StoredThread {
  thread: Thread
  readonly messages: Map<string, ThreadMessage>
}

/** By run: the resource that the thread will belong to. */
type Claims = Map<string, { readonly owner: string | undefined }>

/** Threads and working memory. `releaseNow`: a synchronous `release`, within the append that ends the run. */
function memoryThreads(): MemoryStorage & { readonly releaseNow: (runId: string) => void } {
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
  return {
    async thread(threadId) {
      return threads.get(threadId)?.thread
    },
    async threads({ resourceId, conversationId } = {}) {
      return [...threads.values()]
        .filter(
          ({ thread, messages }) =>
            (resourceId === undefined || thread.resourceId === resourceId) &&
            (conversationId === undefined ||
              [...messages.values()].some((message) => message.conversationId === conversationId)),
        )
        .map(({ thread }) => thread)
    },
    async messages(threadId, last) {
      return messages(threadId, last)
    },
    async recall(threadId, { runId, resourceId, last }) {
      const { owner } = ownerOf(threadId) ?? { owner: resourceId || undefined }
      if (owner !== undefined && owner !== resourceId) throw threadOfAnother(threadId)
      if (!threads.has(threadId)) {
        const ofThread: Claims = claims.get(threadId) ?? new Map()
        claims.set(threadId, ofThread.set(runId, { owner }))
        claimedBy.set(runId, (claimedBy.get(runId) ?? new Set()).add(threadId))
      }
      return messages(threadId, last)
    },
    async release(runId) {
      releaseNow(runId)
    },
    releaseNow,
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
