/** All that can be asked of a database, by name: plain data in and out, so that the asking may cross threads. */
import { toErrorData } from '../../errors.ts'
import { configItems } from './config-items.ts'
import type { Database } from '../connection/database.ts'
import { journals } from './journals.ts'
import { leases } from './leases.ts'
import { queuedSignals } from './queued-signals.ts'
import { runIndex } from './run-index.ts'
import { RetryQueue } from '../connection/retry-queue.ts'
import { closed, corrupt, isSqlError, storeFailure } from '../connection/store-failure.ts'
import { threads } from './threads.ts'
import { workingMemories } from './working-memory.ts'

/** Closes a database that it cannot use. */
export function operationsOn(database: Database) {
  try {
    return {
      ...journals(database),
      ...runIndex(database),
      ...leases(database),
      ...queuedSignals(database),
      ...threads(database),
      ...workingMemories(database),
      ...configItems(database),
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

/** Asks; throws or rejects with a `StoreError`. Gives a promise when the database is in another thread. */
export type Ask = <Name extends OperationName>(
  name: Name,
  ...args: Parameters<Operations[Name]>
) => ReturnType<Operations[Name]> | Promise<ReturnType<Operations[Name]>>

/** These never wait for another process that writes. */
const reads: ReadonlySet<OperationName> = new Set([
  'read',
  'list',
  'queuedSignals',
  'thread',
  'threads',
  'messages',
  'workingMemory',
  'items',
])

export interface LocalDatabase {
  readonly ask: Ask
  /** Does what was asked before. */
  readonly close: () => Promise<void>
}

/** Asks in this thread. An operation that another process holds up becomes a promise. */
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
