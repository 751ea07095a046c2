/** A store on the operations of a database. Each waits until the tables are there. */
import { threadOfAnother } from '../runtime/journal/memory-storage.ts'
import { runBatches } from '../runtime/journal/run-batch.ts'
import type { Store } from '../runtime/journal/store.ts'
import type { Connections } from './connection/connections.ts'
import type { Tables } from './connection/schema.ts'
import { items } from './tables/items.ts'
import { journals } from './tables/journals.ts'
import { leases } from './tables/leases.ts'
import { Positions } from './tables/positions.ts'
import { queuedSignals } from './tables/queued-signals.ts'
import { runIndex } from './tables/run-index.ts'
import { threads } from './tables/threads.ts'

function operationsOn(connections: Connections, tables: Tables) {
  const positions = new Positions()
  return {
    ...journals(connections, tables, positions),
    ...runIndex(connections, tables),
    ...leases(connections, tables, positions),
    ...queuedSignals(connections, tables),
    ...threads(connections, tables),
    ...items(connections, tables),
  }
}

export function storeOn(connections: Connections, tables: Tables, open: () => Promise<void>): Store {
  const operations = operationsOn(connections, tables)
  const ready = async (): Promise<typeof operations> => {
    await open()
    return operations
  }
  return {
    async append(appends) {
      const batches = runBatches(appends) // now: a caller may change its list
      return (await ready()).append(batches)
    },
    // A commit waits for the server: the appends of one turn of the event loop share one.
    schedule: (flush) => void setImmediate(flush),
    read: async (runId, from = 0) => (await ready()).read(runId, from),
    list: async (filter = {}) => (await ready()).list(filter),
    claim: async (runId, owner, now, expiresAt, farthest = Number.MAX_VALUE) =>
      (await ready()).claim(runId, owner, now, expiresAt, farthest),
    renew: async (given, expiresAt) => (await ready()).renew(given, expiresAt),
    release: async (given) => (await ready()).release(given),
    enqueueSignal: async (runId, signal, claim) => (await ready()).enqueueSignal(runId, signal, claim),
    queuedSignals: async (runIds) => (await ready()).queuedSignals(runIds),
    dropSignals: async (ids) => (await ready()).dropSignals(ids),
    memory: {
      thread: async (threadId) => (await ready()).thread(threadId),
      threads: async (filter = {}) => (await ready()).threads(filter),
      messages: async (threadId, last) => (await ready()).messages(threadId, last),
      async recall(threadId, reader) {
        const messages = await (await ready()).recall(threadId, reader)
        if (messages === null) throw threadOfAnother(threadId)
        return messages
      },
      release: async (runId) => (await ready()).releaseThreads(runId),
      async save(threadId, messages, resourceId) {
        if (!(await (await ready()).save(threadId, messages, resourceId))) throw threadOfAnother(threadId)
      },
      deleteThread: async (threadId) => (await ready()).deleteThread(threadId),
      workingMemory: async (resourceId) => (await ready()).workingMemory(resourceId),
      setWorkingMemory: async (resourceId, content) => (await ready()).setWorkingMemory(resourceId, content),
    },
    config: {
      items: async (kind) => (await ready()).configItems(kind),
      set: async (item) => (await ready()).setItem(item),
      delete: async (kind, key) => (await ready()).deleteItem(kind, key),
    },
    blobs: {
      put: async (ref, bytes) => (await ready()).putBlob(ref, bytes),
      get: async (ref) => (await ready()).blob(ref),
    },
  }
}
