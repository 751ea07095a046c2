/** A store on the operations of a database. Each waits until the tables are there. */
import { readQuestionFilter, readRunFilter } from '../runtime/journal/run-index.ts'
import { threadOfAnother } from '../runtime/journal/memory-storage.ts'
import { runBatches } from '../runtime/journal/run-batch.ts'
import type { Store } from '../runtime/journal/store.ts'
import type { Connections } from './connection/connections.ts'
import type { Tables } from './connection/schema.ts'
import { blobs } from './tables/blobs.ts'
import { items } from './tables/items.ts'
import { journals } from './tables/journals.ts'
import { leases } from './tables/leases.ts'
import { openQuestions } from './tables/open-questions.ts'
import { Positions } from './tables/positions.ts'
import { queuedSignals } from './tables/queued-signals.ts'
import { runDeletion } from './tables/run-deletion.ts'
import { runIndex } from './tables/run-index.ts'
import { threads } from './tables/threads.ts'

function operationsOn(connections: Connections, tables: Tables) {
  const positions = new Positions()
  return {
    ...journals(connections, tables, positions),
    ...runIndex(connections, tables),
    ...openQuestions(connections, tables),
    ...runDeletion(connections, tables, positions),
    ...leases(connections, tables, positions),
    ...queuedSignals(connections, tables),
    ...threads(connections, tables),
    ...items(connections, tables),
    ...blobs(connections, tables),
  }
}

export function storeOn(connections: Connections, tables: Tables, open: () => Promise<void>): Store {
  const operations = operationsOn(connections, tables)
  const perform = <T>(operation: (on: typeof operations) => Promise<T>): Promise<T> =>
    connections.perform(async () => {
      await open()
      return operation(operations)
    })
  return {
    async append(appends) {
      const batches = runBatches(appends) // now: a caller may change its list
      return perform((on) => on.append(batches))
    },
    // A commit waits for the server: the appends of one turn of the event loop share one.
    schedule: (flush) => void setImmediate(flush),
    read: async (runId, from = 0) => perform((on) => on.read(runId, from)),
    async list(filter) {
      const read = readRunFilter(filter)
      return perform((on) => on.list(read))
    },
    async awaiting(filter) {
      const read = readQuestionFilter(filter)
      return perform((on) => on.awaiting(read))
    },
    delete: async (runId) => perform((on) => on.deleteRun(runId, Date.now())),
    expired: async (expiry) => perform((on) => on.expiredRuns(expiry)),
    claim: async (runId, owner, now, expiresAt, farthest = Number.MAX_VALUE, unlessLeft = false) =>
      perform((on) => on.claim(runId, owner, now, expiresAt, farthest, unlessLeft)),
    renew: async (given, expiresAt) => perform((on) => on.renew(given, expiresAt)),
    release: async (given) => perform((on) => on.release(given)),
    enqueueSignal: async (runId, signal, claim) => perform((on) => on.enqueueSignal(runId, signal, claim)),
    queuedSignals: async (runIds) => perform((on) => on.queuedSignals(runIds)),
    dropSignals: async (ids) => perform((on) => on.dropSignals(ids)),
    memory: {
      thread: async (threadId) => perform((on) => on.thread(threadId)),
      threads: async (filter = {}) => perform((on) => on.threads(filter)),
      messages: async (threadId, last) => perform((on) => on.messages(threadId, last)),
      async recall(threadId, reader) {
        const messages = await perform((on) => on.recall(threadId, reader))
        if (messages === null) throw threadOfAnother(threadId)
        return messages
      },
      release: async (runId) => perform((on) => on.releaseThreads(runId)),
      async save(threadId, messages, resourceId) {
        const isSaved = await perform((on) => on.save(threadId, messages, resourceId))
        if (!isSaved) throw threadOfAnother(threadId)
      },
      deleteThread: async (threadId, condition) =>
        perform((on) => on.deleteThread(threadId, condition, Date.now())),
      expired: async (expiry) => perform((on) => on.expiredThreads(expiry)),
      workingMemory: async (resourceId) => perform((on) => on.workingMemory(resourceId)),
      setWorkingMemory: async (resourceId, content) =>
        perform((on) => on.setWorkingMemory(resourceId, content)),
    },
    config: {
      items: async (kind) => perform((on) => on.configItems(kind)),
      set: async (item) => perform((on) => on.setItem(item)),
      delete: async (kind, key) => perform((on) => on.deleteItem(kind, key)),
    },
    blobs: {
      put: async (ref, bytes, holder) => perform((on) => on.putBlob(ref, bytes, holder, Date.now())),
      get: async (ref) => perform((on) => on.blob(ref)),
      hold: async (refs, holder) => perform((on) => on.holdBlobs(refs, holder, Date.now())),
      release: async (holder) => perform((on) => on.releaseBlobs(holder, Date.now())),
      expire: async (before, limit) => perform((on) => on.expireBlobs(before, limit)),
      expireHolders: async (before, limit) => perform((on) => on.expireHolders(before, limit, Date.now())),
    },
  }
}
