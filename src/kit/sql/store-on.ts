/** A store on the operations of a database of SQL. */
import {
  readQuestionFilter,
  readRunFilter,
  type QuestionFilter,
  type RunFilter,
} from '../../runtime/journal/run-index.ts'
import { threadOfAnother } from '../../runtime/journal/memory-storage.ts'
import { runBatches } from '../../runtime/journal/run-batch.ts'
import type { AppendReport, Store, WholeStore } from '../../runtime/journal/store.ts'
import type { Ask } from './operations.ts'

type Append = (batches: ReturnType<typeof runBatches>) => ReturnType<Store['append']>

/** What a store asks of its process. */
export interface StoreHost {
  readonly now: () => number
  /** Acts when the turn of the event loop has ended. */
  readonly later: (act: () => void) => void
}

/** `append`: as the operation, and tells of the change. */
export function storeOn(
  ask: Ask,
  { now, later }: StoreHost,
  append: Append = (batches) => ask('append', batches),
): Omit<WholeStore, 'subscribe' | 'close'> {
  return {
    append: (appends): AppendReport | void | Promise<AppendReport | void> => append(runBatches(appends)),
    // A commit waits for the disk or the server: the appends of one turn of the event loop share one.
    schedule: later,
    read: async (runId, from = 0) => ask('read', runId, from),
    async list(name, filter) {
      if (name === 'runs') readRunFilter(filter as RunFilter)
      if (name === 'questions') readQuestionFilter(filter as QuestionFilter)
      return ask('list', name, filter) as Promise<never>
    },
    delete: async (runId) => ask('deleteRun', runId, now()),
    claim: async (runId, owner, now, expiresAt, farthest = Number.MAX_VALUE, unlessLeft = false) =>
      ask('claim', runId, owner, now, expiresAt, farthest, unlessLeft),
    renew: async (leases) => ask('renew', leases),
    enqueueSignal: async (runId, signal, claim) => ask('enqueueSignal', runId, signal, claim),
    memory: {
      threads: async (filter) => ask('threads', filter),
      async messages(threadId, reading) {
        const messages = await ask('messages', threadId, reading)
        if (messages === null) throw threadOfAnother(threadId)
        return messages
      },
      async save(threadId, messages, resourceId) {
        if (!(await ask('save', threadId, messages, resourceId))) throw threadOfAnother(threadId)
      },
      remove: async (removal) => ask('removeThread', removal, now()),
      workingMemory: async (resourceId, content) => ask('workingMemory', resourceId, content),
    },
    config: {
      items: async (kind) => ask('items', kind),
      set: async (item) => ask('setItem', item),
    },
    blobs: {
      put: async (ref, bytes, holder) => ask('putBlob', ref, bytes, holder, now()),
      get: async (ref) => ask('blob', ref),
      release: async (holds) => ask('releaseBlobs', holds, now()),
    },
  }
}
