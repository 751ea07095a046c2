/** A store on database operations, in this thread or in a worker. */
import { readQuestionFilter, readRunFilter } from '../runtime/journal/run-index.ts'
import { threadOfAnother } from '../runtime/journal/memory-storage.ts'
import type { FileChanges } from './file-changes.ts'
import type { Ask } from './tables/operations.ts'
import { runBatches } from '../runtime/journal/run-batch.ts'
import type { SqliteStore } from './store-types.ts'

export function storeOn(ask: Ask, changes: FileChanges, close: () => Promise<void>): SqliteStore {
  return {
    append(appends) {
      const batches = runBatches(appends)
      const tell = <Report>(report: Report): Report => {
        changes.tell(
          batches.map(({ runId }) => runId),
          'entries',
        )
        return report
      }
      const report = ask('append', batches)
      return report instanceof Promise ? report.then(tell) : tell(report)
    },
    // A commit waits for the disk: the appends of one turn of the event loop share one.
    schedule: (flush) => void setImmediate(flush),
    read: async (runId, from = 0) => ask('read', runId, from),
    list: async (filter) => ask('list', readRunFilter(filter)),
    awaiting: async (filter) => ask('awaiting', readQuestionFilter(filter)),
    delete: async (runId) => ask('deleteRun', runId, Date.now()),
    expired: async (expiry) => ask('expiredRuns', expiry),
    claim: async (runId, owner, now, expiresAt, farthest = Number.MAX_VALUE, unlessLeft = false) =>
      ask('claim', runId, owner, now, expiresAt, farthest, unlessLeft),
    renew: async (leases, expiresAt) => ask('renew', leases, expiresAt),
    release: async (leases) => ask('release', leases),
    async enqueueSignal(runId, signal, claim) {
      const outcome = await ask('enqueueSignal', runId, signal, claim)
      if (outcome === 'accepted') changes.tell([runId], 'signals')
      return outcome
    },
    queuedSignals: async (runIds) => ask('queuedSignals', runIds),
    dropSignals: async (ids) => ask('dropSignals', ids),
    memory: {
      thread: async (threadId) => ask('thread', threadId),
      threads: async (filter = {}) => ask('threads', filter),
      messages: async (threadId, last) => ask('messages', threadId, last),
      async recall(threadId, reader) {
        const messages = await ask('recall', threadId, reader)
        if (messages === null) throw threadOfAnother(threadId)
        return messages
      },
      release: async (runId) => ask('releaseThreads', runId),
      async save(threadId, messages, resourceId) {
        if (!(await ask('save', threadId, messages, resourceId))) throw threadOfAnother(threadId)
      },
      deleteThread: async (threadId, condition) => ask('deleteThread', threadId, condition, Date.now()),
      expired: async (expiry) => ask('expiredThreads', expiry),
      workingMemory: async (resourceId) => ask('workingMemory', resourceId),
      setWorkingMemory: async (resourceId, content) => ask('setWorkingMemory', resourceId, content),
    },
    config: {
      items: async (kind) => ask('items', kind),
      set: async (item) => ask('setItem', item),
      delete: async (kind, key) => ask('deleteItem', kind, key),
    },
    blobs: {
      put: async (ref, bytes, holder) => ask('putBlob', ref, bytes, holder, Date.now()),
      get: async (ref) => ask('blob', ref),
      hold: async (refs, holder) => ask('holdBlobs', refs, holder, Date.now()),
      release: async (holder) => ask('releaseBlobs', holder, Date.now()),
      expire: async (before, limit) => ask('expireBlobs', before, limit),
      expireHolders: async (before, limit) => ask('expireHolders', before, limit, Date.now()),
    },
    subscribe: (listener) => changes.subscribe(listener),
    close() {
      changes.close()
      return close()
    },
  }
}
