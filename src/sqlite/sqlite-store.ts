/** `sqliteStore()`: opens, or says at once why not. */
import { resolve } from 'node:path'
import { ConfigurationError } from '../errors.ts'
import { askWorker } from './ask-worker.ts'
import { openDatabase, type DatabaseOptions } from './open-database.ts'
import { askHere } from './operations.ts'
import { storeOn } from './store-on.ts'
import type { SqliteStore, SqliteStoreOptions } from './store-types.ts'

/**
 * A store in one SQLite file, which is made when it is not there; several processes may share it. Its `-wal` and
 * `-shm` files belong to it. Close it with `close()`.
 * Throws a `StoreError` when the file cannot be used as a store, and a `ConfigurationError` for a wrong option.
 */
export function sqliteStore(path: string, options: SqliteStoreOptions = {}): SqliteStore {
  const { worker, ...databaseOptions } = checked(path, options)
  const file = resolve(path)
  const database = openDatabase(file, databaseOptions)
  const ask = askHere(database)
  if (!worker) return storeOn(ask, async () => database.close())
  database.close() // opened only to throw here what would otherwise be told later
  const thread = askWorker({ file, options: databaseOptions })
  return storeOn(thread.ask, thread.close)
}

function checked(path: string, options: SqliteStoreOptions): DatabaseOptions & { readonly worker: boolean } {
  if (typeof path !== 'string' || path === '' || path === ':memory:') {
    throw new ConfigurationError(
      `sqliteStore: the path must name a file, not ${JSON.stringify(path)}. For a store in memory use memoryStore().`,
    )
  }
  const { synchronous = 'full', busyTimeout = 5_000, worker = false, ...unknown } = options
  const [stranger] = Object.keys(unknown)
  if (stranger !== undefined) throw new ConfigurationError(`sqliteStore: there is no option "${stranger}".`)
  if (synchronous !== 'full' && synchronous !== 'normal') {
    throw wrong('synchronous', "'full' or 'normal'", synchronous)
  }
  if (!Number.isSafeInteger(busyTimeout) || busyTimeout < 0 || busyTimeout > 2 ** 31 - 1) {
    throw wrong('busyTimeout', 'a whole number of milliseconds', busyTimeout)
  }
  if (typeof worker !== 'boolean') throw wrong('worker', 'true or false', worker)
  return { synchronous, busyTimeout, worker }
}

function wrong(option: string, expected: string, given: unknown): ConfigurationError {
  return new ConfigurationError(`sqliteStore: ${option} must be ${expected}, not ${JSON.stringify(given)}.`)
}
