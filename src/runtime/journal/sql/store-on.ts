/** A store on the operations of a database of SQL. */
import { readQuestionFilter, readRunFilter, type QuestionFilter, type RunFilter } from '../run-index.ts'
import { threadOfAnother } from '../memory-storage.ts'
import { runBatches } from '../run-batch.ts'
import type { AppendReport, Store } from '../store.ts'
import type { Ask } from './operations.ts'

type Append = (batches: ReturnType<typeof runBatches>) => ReturnType<Store['append']>

/** `append`: as the operation, and tells of the change. */
export function storeOn(
  ask: Ask,
  append: Append = (batches) => ask('append', batches),
): Omit<Store, 'subscribe' | 'close'> {
  return {
    append: (appends): AppendReport | void | Promise<AppendReport | void> => append(runBatches(appends)),
    // A commit waits for the disk or the server: the appends of one turn of the event loop share one.
    schedule: (flush) => void setImmediate(flush),
    read: async (runId, from = 0) => ask('read', runId, from),
    async list(name, filter) {
      if (name === 'runs') readRunFilter(filter as RunFilter)
      if (name === 'questions') readQuestionFilter(filter as QuestionFilter)
      return ask('list', name, filter) as Promise<never>
    },
    delete: async (runId) => ask('deleteRun', runId, Date.now()),
    claim: async (runId, owner, now, expiresAt, farthest = Number.MAX_VALUE, unlessLeft = false) =>
      ask('claim', runId, owner, now, expiresAt, farthest, unlessLeft),
    renew: async (leases) => ask('renew', leases),
    enqueueSignal: async (runId, signal, claim) => ask('enqueueSignal', runId, signal, claim),
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
  }
}
