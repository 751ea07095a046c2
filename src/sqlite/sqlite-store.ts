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
import { fileURLToPath } from 'node:url'
import { askWorker } from './worker/ask-worker.ts'
import { openDatabase, type DatabaseOptions } from './connection/open-database.ts'
import type { WorkerInput } from './worker/worker-messages.ts'
import { closed } from './connection/store-failure.ts'
import { FileChanges } from './file-changes.ts'
import { askHere } from './tables/operations.ts'
import { tellingStore } from './telling-store.ts'
import type { SqliteStore, SqliteStoreOptions } from './store-types.ts'

/**
 * A store in one SQLite file, which is created when it is missing; several processes may share it. Its `-wal` and
 * `-shm` files belong to it. Close it with `close()`. `path`: a path, or a `file:` URL as a `URL` or a text.
 * Throws a `StoreError` when the file cannot be used as a store, and a `ConfigurationError` for a wrong option.
 */
export function sqliteStore(path: string | URL, options: SqliteStoreOptions = {}): SqliteStore {
  const { worker, onError, ...databaseOptions } = checked(path, options)
  const file = fileOf('sqliteStore', path)
  const database = openDatabase(file, databaseOptions)
  const changes = new FileChanges(file, reporterOf(onError))
  const input = { file, options: databaseOptions }
  const { busyTimeout } = databaseOptions
  const compact = async (part: 'tables' | 'log'): Promise<void> => {
    const thread = askWorker(input)
    try {
      await thread.ask('compact', part)
    } finally {
      await thread.close()
    }
  }
  const { ask, close } = askHere(database, { busyTimeout, compact })
  if (!worker) return withBackup(tellingStore(ask, changes, close), input)
  database.close() // opened only to throw here errors that would otherwise come later
  const thread = askWorker(input)
  return withBackup(tellingStore(thread.ask, changes, thread.close), input)
}

/** A backup has a thread of its own: it holds neither the event loop nor the writes of the store. */
function withBackup(store: Omit<SqliteStore, 'backup'>, input: WorkerInput): SqliteStore {
  let isClosed = false
  return {
    ...store,
    async backup(path) {
      if (typeof path !== 'string' || path === '') {
        throw new ConfigurationError(`backup: the path must name a new file, not ${show(path)}.`)
      }
      if (isClosed) throw closed(input.file)
      const thread = askWorker(input)
      try {
        await thread.backUp(fileOf('backup', path))
      } finally {
        await thread.close()
      }
    },
    close() {
      isClosed = true
      return store.close()
    },
  }
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
  secureDelete: withDefault(aBoolean, true),
  onError: optional(aFunction),
} satisfies Fields<SqliteStoreOptions>

type Checked = DatabaseOptions & Pick<SqliteStoreOptions, 'onError'> & { readonly worker: boolean }

/** Throws a `ConfigurationError` for a URL that names no file. */
function fileOf(where: string, path: string | URL): string {
  const isUrl = path instanceof URL || /^file:/i.test(path)
  if (!isUrl) return resolve(path)
  try {
    return fileURLToPath(path)
  } catch (cause) {
    throw new ConfigurationError(
      `${where}: a URL must name a file of this machine, as file:///data/runs.db, not ${show(String(path))}.`,
      { cause },
    )
  }
}

function checked(path: string | URL, options: SqliteStoreOptions): Checked {
  const isPath = path instanceof URL || (typeof path === 'string' && path !== '' && path !== ':memory:')
  if (!isPath) {
    throw new ConfigurationError(
      `sqliteStore: the path must name a file, not ${show(path)}. For a store in memory use memoryStore().`,
    )
  }
  return { ...defaultsOf(fields), ...readOptions<SqliteStoreOptions>(options, 'sqliteStore', fields) }
}
