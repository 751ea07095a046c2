/** All operations on a database, by name: plain data in and out, so that calls may cross threads. */
import { toErrorData } from '../../errors.ts'
import { blobs } from './blobs.ts'
import { configItems } from './config-items.ts'
import type { Database } from '../connection/database.ts'
import { journals } from './journals.ts'
import { leases } from './leases.ts'
import { queuedSignals } from './queued-signals.ts'
import { openQuestions } from './open-questions.ts'
import { runDeletion } from './run-deletion.ts'
import { runIndex } from './run-index.ts'
import { RetryQueue } from '../connection/retry-queue.ts'
import { closed, corrupt, isSqlError, storeFailure } from '../connection/store-failure.ts'
import { threads } from './threads.ts'
import { workingMemories } from './working-memory.ts'

/** Prepares the operations. Throws a `StoreError`, and closes the database, where its tables do not fit. */
export function operationsOn(database: Database) {
  try {
    return {
      ...journals(database),
      ...runIndex(database),
      ...openQuestions(database),
      ...runDeletion(database),
      ...leases(database),
      ...queuedSignals(database),
      ...threads(database),
      ...workingMemories(database),
      ...configItems(database),
      ...blobs(database),
    }
  } catch (error) {
    database.close()
    if (!isSqlError(error)) throw storeFailure(error, database.file)
    const { message } = toErrorData(error)
    throw corrupt(database.file, `its tables are not those that its schema should have: ${message}.`, error)
  }
}

export type Operations = ReturnType<typeof operationsOn>
export type OperationName = keyof Operations

/** Performs an operation; throws or rejects with a `StoreError`. Returns a promise when it cannot answer at once. */
export type Ask = <Name extends OperationName>(
  name: Name,
  ...args: Parameters<Operations[Name]>
) => ReturnType<Operations[Name]> | Promise<ReturnType<Operations[Name]>>

/** Operations that never wait for another process that writes. */
const reads: ReadonlySet<OperationName> = new Set([
  'read',
  'list',
  'awaiting',
  'expiredRuns',
  'expiredThreads',
  'queuedSignals',
  'thread',
  'threads',
  'messages',
  'workingMemory',
  'items',
  'blob',
])

export interface LocalDatabase {
  readonly ask: Ask
  /** Performs the operations that wait, then closes the database. */
  readonly close: () => Promise<void>
}

/** Performs operations in this thread. One that another process delays returns a promise. */
export function askHere(database: Database, busyTimeout: number): LocalDatabase {
  const operations = operationsOn(database)
  const queue = new RetryQueue(busyTimeout)
  let isClosing = false
  return {
    ask(name, ...args) {
      if (isClosing) throw closed(database.file)
      const operation = operations[name] as (
        ...args: readonly unknown[]
      ) => ReturnType<Operations[typeof name]>
      return queue.run(() => database.attempt(() => operation(...args)), !reads.has(name))
    },
    async close() {
      isClosing = true
      await queue.idle()
      database.close()
    },
  }
}
