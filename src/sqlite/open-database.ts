/**
 * Opens the file: write-ahead log, the newest schema, and nothing that is not ours. Everything that stands in the
 * way is thrown here, before a run relies on it.
 */
import { statSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { StoreError } from '../errors.ts'
import { Database } from './database.ts'
import { nodeSqlite } from './node-sqlite.ts'
import { Query } from './query.ts'
import { applicationId, migrate, schemaVersion, versionOf } from './schema.ts'
import { about, corrupt, isBusy, storeFailure } from './store-failure.ts'

export interface DatabaseOptions {
  readonly synchronous: 'full' | 'normal'
  /** Milliseconds. */
  readonly busyTimeout: number
}

export function openDatabase(file: string, { synchronous, busyTimeout }: DatabaseOptions): Database {
  const { DatabaseSync } = nodeSqlite()
  let sql: DatabaseSync | undefined
  try {
    refuseLogWithoutDatabase(file)
    sql = new DatabaseSync(file)
    sql.exec(`PRAGMA busy_timeout = ${busyTimeout}`)
    sql.exec('BEGIN') // what is looked at is of one moment: another process may be making the file
    refuseForeign(sql, file)
    sql.exec('COMMIT')
    useWriteAheadLog(sql, file, busyTimeout)
    sql.exec(`PRAGMA synchronous = ${synchronous}`)
    // Where fsync alone leaves data in the drive (macOS).
    if (synchronous === 'full') sql.exec('PRAGMA fullfsync = ON; PRAGMA checkpoint_fullfsync = ON')
    const database = new Database(sql, file)
    const opened = sql
    database.exclusively(() => {
      refuseForeign(opened, file) // another process may have been first
      migrate(opened)
    })
    return database
  } catch (error) {
    sql?.close()
    throw storeFailure(error, file)
  }
}

/** SQLite would throw away the log of a database that is gone or empty, and all that stands in it. */
function refuseLogWithoutDatabase(file: string): void {
  if (sizeOf(`${file}-wal`) > 0 && sizeOf(file) === 0) {
    throw corrupt(
      file,
      `there is a write-ahead log "${file}-wal", but the database that it belongs to is empty or gone.`,
    )
  }
}

/** 0 also for a file that is not there; what else is wrong with it, opening it tells. */
function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0
}

function refuseForeign(sql: DatabaseSync, file: string): void {
  const id = new Query<{ application_id: number }>(sql, 'PRAGMA application_id').get()?.application_id
  const version = versionOf(sql)
  if (id === applicationId) {
    if (version <= schemaVersion) return
    throw new StoreError(
      about(
        file,
        `it was written by a later release of troupe (its schema is ${version}, this release knows up to ` +
          `${schemaVersion}). Nothing was changed: use that release, or another file.`,
      ),
      { code: 'STORE_NEWER' },
    )
  }
  const isEmpty = sql.prepare('SELECT 1 FROM sqlite_schema LIMIT 1').get() === undefined
  if (id === 0 && version === 0 && isEmpty) return
  throw new StoreError(
    about(
      file,
      'it is the database of another program. Nothing was changed: give the store a file of its own.',
    ),
    { code: 'STORE_FOREIGN' },
  )
}

function useWriteAheadLog(sql: DatabaseSync, file: string, busyTimeout: number): void {
  const mode = retryWhileBusy(busyTimeout, () => {
    const setting = new Query<{ journal_mode: string }>(sql, 'PRAGMA journal_mode = WAL')
    return setting.get()?.journal_mode
  })
  if (mode === 'wal') return
  throw new StoreError(
    about(
      file,
      `its file system cannot hold a write-ahead log (the journal mode stays "${mode}"). Use a local disk.`,
    ),
    { code: 'STORE_CANNOT_OPEN' },
  )
}

/** SQLite does not wait by itself when two processes turn a new file to WAL at once. */
function retryWhileBusy<T>(busyTimeout: number, attempt: () => T): T {
  const deadline = Date.now() + busyTimeout
  for (;;) {
    try {
      return attempt()
    } catch (error) {
      if (!isBusy(error) || Date.now() >= deadline) throw error
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5)
    }
  }
}
