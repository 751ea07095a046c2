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
import type { Store } from '../store.ts'
import { memoryBlobs } from './blobs.ts'
import { memoryConfig } from './config.ts'
import { memoryRuns } from './runs.ts'
import { tellingOf } from './telling-runs.ts'
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
export function memoryStore(options: MemoryStoreOptions = {}): Store {
  const { endedRuns, onError } = {
    ...defaultsOf(fields),
    ...readOptions<MemoryStoreOptions>(options, 'memoryStore', fields),
  }
  const blobs = memoryBlobs()
  const { isInUse, hasRun, ...runs } = memoryRuns({
    blobs,
    endedRuns,
    releaseClaims: (runId) => releaseNow(runId),
  })
  const { releaseNow, hasThread, ...memory } = memoryThreads(blobs, isInUse)
  const isKnown = (holder: BlobHolder): boolean =>
    'runId' in holder ? hasRun(holder.runId) : hasThread(holder.threadId)
  return {
    ...tellingOf(runs, reporterOf(onError)),
    memory,
    config: memoryConfig(),
    blobs: {
      ...blobs.storage,
      expireHolders: async (before, limit) => blobs.expireHolders(before, limit, isKnown),
    },
  }
}
