/**
 * A mark in the file that tells whether the write-ahead log beside it is missing. The file alone always holds `expected`, and the
 * log begins with `whole`: who reads both, or a file whose log has gone into it, reads `whole`. A copy of the file alone does not.
 */
import { epochKind } from '../../kit/sql/index.ts'
import { existsSync, statSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import type { DatabaseSync } from 'node:sqlite'
import { checksumOf } from './checksum.ts'
import { nodeSqlite } from './node-sqlite.ts'
import { Query } from './query.ts'
import { corrupt, isBusy } from './store-failure.ts'

/** While a thread stands still, the clock that a test has stopped would never reach a deadline. */
const now = Date.now.bind(Date)

const logKind = 'troupe:log'
const logKey = 'log'
const copyKey = 'copy'

/** The values of the mark, as JSON. */
const expected = '"expected"'
const whole = '"whole"'

/** After so many transactions, or so many bytes more in the log, what the log holds goes into the file. */
const mostWrites = 250
const mostGrowth = 4_194_304

/** Milliseconds that a store waits at its end for another process that writes. */
const lastWait = 2_000

const putItem = `INSERT INTO config_items (kind, key, value, checksum) VALUES (?, ?, ?, ?)
  ON CONFLICT (kind, key) DO UPDATE SET value = excluded.value, checksum = excluded.checksum`

function put(sql: DatabaseSync, kind: string, key: string, value: string): void {
  sql.prepare(putItem).run(kind, key, value, checksumOf(kind, key, value))
}

/** Marks a backup: nobody has gone on with it yet. */
export function markCopy(sql: DatabaseSync): void {
  put(sql, epochKind, copyKey, 'true')
  put(sql, logKind, logKey, whole)
}

function markIn(sql: DatabaseSync): Query<{ value: string }> {
  return new Query(sql, `SELECT value FROM config_items WHERE kind = '${logKind}' AND key = '${logKey}'`)
}

export class LogMark {
  readonly #sql: DatabaseSync
  readonly #file: string
  readonly #mark: Query<{ value: string }>
  #writes = 0
  #size = 0
  /** The file expects a log that does not say yet that it is whole. */
  #isOwed = false

  constructor(sql: DatabaseSync, file: string) {
    this.#sql = sql
    this.#file = file
    this.#mark = markIn(sql)
  }

  /** The tables are there, and the log is in use. */
  opened(): void {
    this.#arm()
  }

  /** A transaction is in the log. */
  written(): void {
    if (this.#isOwed) this.#settle()
    if (++this.#writes < mostWrites && logSize(this.#file) - this.#size < mostGrowth) return
    this.#arm()
  }

  /** The log goes into the file when the last connection closes it. */
  close(): void {
    const deadline = now() + lastWait
    while (this.#mark.get()?.value === expected && now() < deadline) {
      this.#settle()
      if (this.#isOwed) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5)
    }
  }

  /** While another process writes, or reads what is old, a later transaction does it. */
  #arm(): void {
    this.#writes = 0
    this.#isOwed = true
    const isSet = unlessBusy(() => put(this.#sql, logKind, logKey, expected))
    if (isSet) unlessBusy(() => this.#sql.exec('PRAGMA wal_checkpoint(PASSIVE)'))
    this.#settle()
    this.#size = logSize(this.#file)
  }

  #settle(): void {
    this.#isOwed = !unlessBusy(() => put(this.#sql, logKind, logKey, whole))
  }
}

/**
 * Before the file is opened. Throws `STORE_CORRUPT` for a backup that was put in the place of the file of a log: SQLite would put that
 * log into it.
 */
export function refuseOtherLog(file: string): void {
  if (withoutItsLog(file, isCopy) !== true) return
  throw corrupt(
    file,
    `it is a backup, and "${file}-wal" beside it is the log of another file: remove that log, and "${file}-shm".`,
  )
}

/** Before anything is written. Throws `STORE_CORRUPT` for a file that was copied without its log. */
export function refuseMissingLog(sql: DatabaseSync, file: string, hadLog: boolean): void {
  if (hadLog || markIn(sql).get()?.value !== expected) return
  if (logSize(file) === 0) throw withoutLog(file) // else: another process has just begun a log
}

/** Whoever opens a backup first goes on with it, from a new epoch. It is in the file before there is a log. */
export function beginCopy(sql: DatabaseSync): void {
  if (!isCopy(sql)) return
  sql.exec('BEGIN IMMEDIATE')
  try {
    if (isCopy(sql)) {
      put(sql, epochKind, String(epochOf(sql) + 1), '{"why":"copy"}')
      sql.prepare('DELETE FROM config_items WHERE kind = ? AND key = ?').run(epochKind, copyKey)
    }
    sql.exec('COMMIT')
  } catch (error) {
    sql.exec('ROLLBACK')
    throw error
  }
}

function isCopy(sql: DatabaseSync): boolean {
  const found = new Query<object>(sql, 'SELECT 1 FROM config_items WHERE kind = ? AND key = ?')
  return found.get(epochKind, copyKey) !== undefined
}

function epochOf(sql: DatabaseSync): number {
  const keys = new Query<{ key: string }>(sql, 'SELECT key FROM config_items WHERE kind = ?').all(epochKind)
  return Math.max(0, ...keys.map(({ key }) => Number(key)).filter((epoch) => Number.isSafeInteger(epoch)))
}

/** Reads the file as it is without its log; `undefined` where it cannot be read so. */
function withoutItsLog<Found>(file: string, read: (sql: DatabaseSync) => Found): Found | undefined {
  const { DatabaseSync } = nodeSqlite()
  let sql: DatabaseSync | undefined
  try {
    sql = new DatabaseSync(`${pathToFileURL(file).href}?immutable=1`, { readOnly: true })
    return read(sql)
  } catch {
    return undefined
  } finally {
    sql?.close()
  }
}

export function logSize(file: string): number {
  const log = `${file}-wal`
  return existsSync(log) ? (statSync(log, { throwIfNoEntry: false })?.size ?? 0) : 0
}

/** Whether it was done, and no other process was writing. */
function unlessBusy(act: () => void): boolean {
  try {
    act()
    return true
  } catch (error) {
    if (isBusy(error)) return false
    throw error
  }
}

function withoutLog(file: string) {
  return corrupt(
    file,
    `it was copied without its log "${file}-wal" while it was in use, and what the log held is missing. ` +
      'Use a backup (store.backup()). To go on without what is missing: ' +
      `DELETE FROM config_items WHERE kind = '${logKind}'.`,
  )
}
