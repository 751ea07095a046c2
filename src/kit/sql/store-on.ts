/** A store on the operations of a database of SQL. */
import {
  readQuestionFilter,
  readRunFilter,
  type QuestionFilter,
  type RunFilter,
} from '../../runtime/journal/run-index.ts'
import { RunNotFoundError } from '../../errors.ts'
import { threadOfAnother } from '../../runtime/journal/memory-storage.ts'
import { runBatches } from '../../runtime/journal/run-batch.ts'
import type { AppendReport, Store, WholeStore } from '../../runtime/journal/store.ts'
import { readScheduleFilter } from '../../runtime/schedules/schedules.ts'
import type { Ask, Refusal } from './operations.ts'

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
): Omit<WholeStore, 'subscribe' | 'close'> & Required<Pick<WholeStore, 'compact' | 'census'>> {
  /** Deletions come in loops: each ends the turn of the event loop, also where its answer is there at once. */
  const inTurns = async <Answer>(answer: Answer | Promise<Answer>): Promise<Answer> => {
    if (!(answer instanceof Promise)) await new Promise<void>((resolve) => later(resolve))
    return answer
  }
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
    census: async (options) => ask('census', options),
    delete: async (runId, atOnce = false) => inTurns(ask('deleteRun', runId, now(), atOnce)),
    claim: async (runId, owner, now, expiresAt, farthest = Number.MAX_VALUE, unlessLeft = false) =>
      ask('claim', runId, owner, now, expiresAt, farthest, unlessLeft),
    renew: async (leases) => ask('renew', leases),
    enqueueSignal: async (runId, signal, claim) => ask('enqueueSignal', runId, signal, claim),
    memory: {
      threads: async (filter) => ask('threads', filter),
      async messages(threadId, reading) {
        const messages = await ask('messages', threadId, reading)
        if (typeof messages === 'string') throw refused(messages, threadId, reading.runId)
        return messages
      },
      async save(threadId, messages, resourceId, by) {
        const refusal = await ask('save', threadId, messages, resourceId, by)
        if (refusal !== undefined) throw refused(refusal, threadId, by?.runId)
      },
      remove: async (removal) => inTurns(ask('removeThread', removal, now())),
      async workingMemory(resourceId, content, by) {
        const found = await ask('workingMemory', resourceId, content, by, now())
        if (found === null) throw new RunNotFoundError(by?.runId ?? '')
        return found
      },
      removeNotes: async (resourceId, unusedSince) => inTurns(ask('removeNotes', resourceId, unusedSince)),
      oldNotes: async (expiry) => ask('oldNotes', expiry),
      removeMessages: async (threadId, resourceId) =>
        inTurns(ask('removeMessages', threadId, resourceId, now())),
      resources: async (page) => ask('resources', page),
    },
    config: {
      items: async (kind) => ask('items', kind),
      set: async (item) => ask('setItem', item),
    },
    ledger: {
      reserve: async (reservation) => ask('reserve', reservation),
      release: async ({ runId, token, key }, spent) => ask('releaseReservation', runId, token, key, spent),
      sums: async (tenant, accounts, now) => ask('ledgerSums', tenant, accounts, now),
    },
    blobs: {
      put: async (ref, bytes, holder) => ask('putBlob', ref, bytes, holder, now()),
      get: async (ref) => ask('blob', ref),
      release: async (holds) => inTurns(ask('releaseBlobs', holds, now())),
    },
    schedules: {
      list: async (filter) => ask('schedules', readScheduleFilter(filter)),
      next: async (filter) => ask('nextSchedules', filter),
      write: async (row, before) => ask('writeSchedule', row, before),
      remove: async (key) => ask('removeSchedule', key),
      ended: async (expiry) => ask('endedSchedules', expiry),
    },
    async compact() {
      await ask('compact', 'tables')
      await ask('compact', 'log')
    },
  }
}

function refused(refusal: Refusal, threadId: string, runId = ''): Error {
  return refusal === 'gone' ? new RunNotFoundError(runId) : threadOfAnother(threadId)
}
