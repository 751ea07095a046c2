/**
 * Opens the file with a write-ahead log and the newest schema, and refuses the file of another program. Every obstacle
 * is thrown here, before a run relies on the store.
 */
import { StoreError } from '../../index.ts'
import { statSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { defineChecksum } from './checksum.ts'
import { defineAddUsage } from './usage-function.ts'
import { Database } from './database.ts'
import { beginCopy, logSize, refuseMissingLog, refuseOtherLog } from './log-mark.ts'
import { nodeSqlite } from './node-sqlite.ts'
import { Query } from './query.ts'
import { shortWait } from './retry-queue.ts'
import { applicationId, migrate, schema, versionReader, versionsOf } from './schema.ts'
import { about, corrupt, isBusy, storeFailure } from './store-failure.ts'

/** While a thread stands still, the clock that a test has stopped would never reach a deadline. */
const now = Date.now.bind(Date)

export interface DatabaseOptions {
  readonly synchronous: 'full' | 'normal'
  /** Milliseconds. */
  readonly busyTimeout: number
  readonly secureDelete: boolean
}

/** `lockWait`: milliseconds that SQLite itself waits for a lock, which blocks the thread. */
export function openDatabase(
  file: string,
  { synchronous, busyTimeout, secureDelete }: DatabaseOptions,
  lockWait: number = shortWait,
): Database {
  const { DatabaseSync } = nodeSqlite()
  let sql: DatabaseSync | undefined
  try {
    refuseLogWithoutDatabase(file)
    const hadLog = logSize(file) > 0
    if (hadLog) refuseOtherLog(file)
    const opened = new DatabaseSync(file)
    sql = opened
    defineChecksum(opened)
    defineAddUsage(opened)
    sql.exec(`PRAGMA busy_timeout = ${Math.min(busyTimeout, lockWait)}`)
    const isCurrent = retryWhileBusy(busyTimeout, () => isOurs(opened, file))
    if (versionReader(opened)() > 0) {
      refuseMissingLog(opened, file, hadLog)
      retryWhileBusy(busyTimeout, () => beginCopy(opened))
    }
    useWriteAheadLog(sql, file, busyTimeout)
    sql.exec('PRAGMA wal_autocheckpoint = 0') // the log goes into the file together with its mark
    sql.exec(`PRAGMA synchronous = ${synchronous}`)
    sql.exec(`PRAGMA secure_delete = ${secureDelete ? 'ON' : 'OFF'}`)
    // Where fsync alone leaves data in the drive (macOS).
    if (synchronous === 'full') sql.exec('PRAGMA fullfsync = ON; PRAGMA checkpoint_fullfsync = ON')
    const database = new Database(sql, file)
    const upgrade = (): void =>
      database.exclusively(() => {
        refuseForeign(opened, file) // another process may have been first
        migrate(opened)
      })
    if (isCurrent) unlessBusy(upgrade)
    else retryWhileBusy(busyTimeout, upgrade)
    database.mark()
    database.identify()
    return database
  } catch (error) {
    sql?.close()
    throw storeFailure(error, file)
  }
}

/** SQLite would discard the log of a database that is gone or empty, and all that is in it. */
function refuseLogWithoutDatabase(file: string): void {
  if (logSize(file) > 0 && sizeOf(file) === 0) {
    throw corrupt(
      file,
      `there is a write-ahead log "${file}-wal", but the database that it belongs to is empty or gone.`,
    )
  }
}

/** The size in bytes, 0 also for a missing file; opening the file reports any other fault. */
function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0
}

function refuseForeign(sql: DatabaseSync, file: string): void {
  const id = new Query<{ application_id: number }>(sql, 'PRAGMA application_id').get()?.application_id
  const version = versionReader(sql)()
  if (id === applicationId) return refuseOtherRelease(sql, file)
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

function refuseOtherRelease(sql: DatabaseSync, file: string): void {
  const versions = versionsOf(sql)
  switch (versions === undefined ? 'fits' : schema.fitOf(versions)) {
    case 'fits':
      return
    case 'older':
      throw new StoreError(
        about(
          file,
          `a build before the first release has written it (its schema is ${versions?.version}, this release reads ` +
            `${schema.first} to ${schema.version}). Nothing was changed: let its runs end with that build, and give ` +
            'the store another file.',
        ),
        { code: 'STORE_OLDER' },
      )
    case 'newer':
      throw new StoreError(
        about(
          file,
          `it was written by a later release of troupe (its schema is ${versions?.version}, this release knows up to ` +
            `${schema.version}). Nothing was changed: use that release, or another file.`,
        ),
        { code: 'STORE_NEWER' },
      )
  }
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

/** Whether the file has the newest schema, or a newer one. One transaction reads it all, as another process may be creating it. */
function isOurs(sql: DatabaseSync, file: string): boolean {
  sql.exec('BEGIN')
  try {
    refuseForeign(sql, file)
    return versionReader(sql)() >= schema.version
  } finally {
    sql.exec('ROLLBACK')
  }
}

/** There is nothing to upgrade: the attempt only tests the right to write, which a file in use by a writer has. */
function unlessBusy(attempt: () => void): void {
  try {
    attempt()
  } catch (error) {
    if (!isBusy(error)) throw error
  }
}

/** SQLite does not wait by itself when two processes switch a new file to WAL at once. */
function retryWhileBusy<T>(busyTimeout: number, attempt: () => T): T {
  const deadline = now() + busyTimeout
  for (;;) {
    try {
      return attempt()
    } catch (error) {
      if (!isBusy(error) || now() >= deadline) throw error
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5)
    }
  }
}
