/** `sqliteStore()`: opens a store, or throws at once the reason why it cannot. */
import { ConfigurationError } from '../index.ts'
import {
  type Fields,
  aBoolean,
  aFunction,
  defaultsOf,
  is,
  oneOf,
  optional,
  readOptions,
  reporterOf,
  show,
  withDefault,
} from '../kit/index.ts'
import { resolve } from 'node:path'
import { askWorker } from './worker/ask-worker.ts'
import { openDatabase, type DatabaseOptions } from './connection/open-database.ts'
import { FileChanges } from './file-changes.ts'
import { askHere } from './tables/operations.ts'
import { tellingStore } from './telling-store.ts'
import type { SqliteStore, SqliteStoreOptions } from './store-types.ts'

/**
 * A store in one SQLite file, which is created when it is missing; several processes may share it. Its `-wal` and
 * `-shm` files belong to it. Close it with `close()`.
 * Throws a `StoreError` when the file cannot be used as a store, and a `ConfigurationError` for a wrong option.
 */
export function sqliteStore(path: string, options: SqliteStoreOptions = {}): SqliteStore {
  const { worker, onError, ...databaseOptions } = checked(path, options)
  const file = resolve(path)
  const database = openDatabase(file, databaseOptions)
  const changes = new FileChanges(file, reporterOf(onError))
  const { ask, close } = askHere(database, databaseOptions.busyTimeout)
  if (!worker) return tellingStore(ask, changes, close)
  database.close() // opened only to throw here errors that would otherwise come later
  const thread = askWorker({ file, options: databaseOptions })
  return tellingStore(thread.ask, changes, thread.close)
}

const fields = {
  synchronous: withDefault(oneOf('full', 'normal'), 'full'),
  busyTimeout: withDefault(
    is(
      'a whole number of milliseconds',
      (given) => Number.isSafeInteger(given) && Number(given) >= 0 && Number(given) < 2 ** 31,
    ),
    5_000,
  ),
  worker: withDefault(aBoolean, false),
  onError: optional(aFunction),
} satisfies Fields<SqliteStoreOptions>

type Checked = DatabaseOptions & Pick<SqliteStoreOptions, 'onError'> & { readonly worker: boolean }

function checked(path: string, options: SqliteStoreOptions): Checked {
  if (typeof path !== 'string' || path === '' || path === ':memory:') {
    throw new ConfigurationError(
      `sqliteStore: the path must name a file, not ${show(path)}. For a store in memory use memoryStore().`,
    )
  }
  return { ...defaultsOf(fields), ...readOptions<SqliteStoreOptions>(options, 'sqliteStore', fields) }
}
