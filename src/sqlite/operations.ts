/** All that can be asked of a database, by name: plain data in and out, so that the asking may cross threads. */
import { toErrorData } from '../errors.ts'
import { configItems } from './config-items.ts'
import type { Database } from './database.ts'
import { journals } from './journals.ts'
import { leases } from './leases.ts'
import { queuedSignals } from './queued-signals.ts'
import { runIndex } from './run-index.ts'
import { corrupt, isSqlError, storeFailure } from './store-failure.ts'
import { threads } from './threads.ts'

/** Closes a database that it cannot use. */
export function operationsOn(database: Database) {
  try {
    return {
      ...journals(database),
      ...runIndex(database),
      ...leases(database),
      ...queuedSignals(database),
      ...threads(database),
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

/** Asks in this thread. */
export function askHere(database: Database): Ask {
  const operations = operationsOn(database)
  return (name, ...args) => {
    const operation = operations[name] as (...args: readonly unknown[]) => ReturnType<Operations[typeof name]>
    return database.attempt(() => operation(...args))
  }
}
