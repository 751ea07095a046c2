/** All operations on a file, by name. */
import type { ThreadReading } from '../../index.ts'
import { toErrorData } from '../../kit/index.ts'
import type { Ask, OperationName, StoreOperations } from '../../kit/sql/index.ts'
import { blobs } from './blobs.ts'
import { census } from './census.ts'
import { configItems } from './config-items.ts'
import type { Database } from '../connection/database.ts'
import { journals } from './journals.ts'
import { ledger } from './ledger.ts'
import { leases } from './leases.ts'
import { lists } from './lists.ts'
import { queuedSignals } from './queued-signals.ts'
import { runDeletion } from './run-deletion.ts'
import { RetryQueue } from '../connection/retry-queue.ts'
import { closed, corrupt, isSqlError, storeFailure } from '../connection/store-failure.ts'
import { schedules } from './schedules.ts'
import { threads } from './threads.ts'
import { workingMemories } from './working-memory.ts'

/** Prepares the operations. Throws a `StoreError`, and closes the database, where its tables do not fit. */
export function operationsOn(database: Database): StoreOperations {
  try {
    return {
      ...journals(database),
      ...lists(database),
      ...census(database),
      ...runDeletion(database),
      ...leases(database),
      ...queuedSignals(database),
      ...threads(database),
      ...workingMemories(database),
      ...configItems(database),
      ...ledger(database),
      ...blobs(database),
      ...schedules(database),
      compact: (part) => (part === 'tables' ? database.vacuum() : database.emptyLog()),
    }
  } catch (error) {
    database.close()
    if (!isSqlError(error)) throw storeFailure(error, database.file)
    const { message } = toErrorData(error)
    throw corrupt(database.file, `its tables are not those that its schema should have: ${message}.`, error)
  }
}

/** Operations that never wait for another process that writes. */
const reads: ReadonlySet<OperationName> = new Set([
  'read',
  'list',
  'census',
  'threads',
  'items',
  'ledgerSums',
  'blob',
  'schedules',
  'nextSchedules',
  'endedSchedules',
])

/** Messages are read without a run, and notes without a content. */
function isRead(name: OperationName, [, given]: readonly unknown[]): boolean {
  if (name === 'messages') return (given as ThreadReading).runId === undefined
  return reads.has(name) || (name === 'workingMemory' && given === undefined)
}

export interface LocalDatabase {
  readonly ask: Ask
  /** Performs the operations that wait, then closes the database. */
  readonly close: () => Promise<void>
}

/** What a database in this thread is given. */
export interface LocalOptions {
  /** Milliseconds. */
  readonly busyTimeout: number
  /** Writes the database anew, elsewhere: the event loop goes on, and writes wait for it in their order. */
  readonly compact: StoreOperations['compact']
}

/** Performs operations in this thread. One that another process delays returns a promise. */
export function askHere(database: Database, { busyTimeout, compact }: LocalOptions): LocalDatabase {
  const operations = operationsOn(database)
  const queue = new RetryQueue(busyTimeout)
  let isClosing = false
  return {
    ask(name, ...args) {
      if (isClosing) throw closed(database.file)
      if (name === 'compact') return queue.enqueue(async () => compact(args[0] as 'tables' | 'log')) as never
      const operation = operations[name] as (...args: readonly unknown[]) => never
      return queue.run(() => database.attempt(() => operation(...args)), !isRead(name, args)) as never
    },
    async close() {
      isClosing = true
      await queue.idle()
      database.close()
    },
  }
}
