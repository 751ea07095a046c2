/** A store in memory: for tests, and for runs that need not outlive their process. */
import { aFunction, is } from '../../../actors/strict/checks.ts'
import {
  defaultsOf,
  optional,
  readOptions,
  withDefault,
  type Fields,
} from '../../../actors/strict/read-options.ts'
import type { BlobHolder } from '../../files/blob-storage.ts'
import { reporterOf, type OnError } from '../../report.ts'
import { ChangeListeners } from '../change-listeners.ts'
import type { WholeStore } from '../store.ts'
import { memoryBlobs } from './blobs.ts'
import { memoryConfig } from './config.ts'
import { memoryLedger } from './ledger.ts'
import { memorySchedules } from './schedules.ts'
import { MemoryRuns } from './runs.ts'
import { memoryThreads } from './threads.ts'

/** The options of `memoryStore`. */
export interface MemoryStoreOptions {
  /**
   * How many ended runs stay, with their journals: of more, the first that ended is deleted, as by `troupe.delete`.
   * `Infinity`: all. Default: 1 000.
   */
  readonly endedRuns?: number
  /** Receives the error of a listener of `subscribe`. Default: one `console.warn` each. */
  readonly onError?: OnError
}

const fields = {
  endedRuns: withDefault(
    is(
      'a positive integer, or Infinity',
      (given) => given === Number.POSITIVE_INFINITY || (Number.isSafeInteger(given) && Number(given) > 0),
    ),
    1_000,
  ),
  onError: optional(aFunction),
} satisfies Fields<MemoryStoreOptions>

/**
 * Makes a store that keeps everything in memory, for tests and for runs that need not outlive their process. It keeps
 * the last 1 000 ended runs, unless `endedRuns` says another number: of an older one, `replay`, `fork` and `resume`
 * reject with a `RunNotFoundError`, while its handles stay whole. Unfinished runs and threads stay.
 * Throws a `ConfigurationError` for a wrong option.
 */
export function memoryStore(options: MemoryStoreOptions = {}): WholeStore {
  const { endedRuns, onError } = {
    ...defaultsOf(fields),
    ...readOptions<MemoryStoreOptions>(options, 'memoryStore', fields),
  }
  const isKnown = (holder: BlobHolder): boolean =>
    'runId' in holder ? runs.hasRun(holder.runId) : threads.has(holder.threadId)
  const blobs = memoryBlobs(isKnown)
  const listeners = new ChangeListeners(reporterOf(onError))
  const ledger = memoryLedger((runId) => runs.leaseOf(runId))
  const runs: MemoryRuns = new MemoryRuns({
    blobs,
    ledger,
    endedRuns,
    listeners,
    releaseClaims: (runId) => threads.releaseNow(runId),
    unusedThreads: (expiry) => threads.unused(expiry),
  })
  const { threads, memory } = memoryThreads({
    blobs,
    isInUse: (threadId) => runs.isInUse(threadId),
    hasRun: (runId) => runs.hasRun(runId),
  })
  return {
    append: (appends) => runs.append(appends),
    read: async (runId, from) => runs.read(runId, from),
    list: async (name, filter) => runs.lists[name](filter),
    census: async (options) => runs.census(options),
    delete: async (runId, atOnce) => runs.delete(runId, atOnce),
    claim: async (...claiming) => runs.claim(...claiming),
    renew: async (leases) => runs.renew(leases),
    enqueueSignal: async (runId, signal, claim) => runs.enqueueSignal(runId, signal, claim),
    subscribe: (listener) => listeners.add(listener),
    memory,
    config: memoryConfig(),
    blobs: blobs.storage,
    ledger: ledger.storage,
    schedules: memorySchedules(),
  }
}
