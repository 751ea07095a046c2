/** One connection: statements that are prepared once, and transactions that are committed whole or not at all. */
import { StoreError } from '../../index.ts'
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { FileIdentity } from './file-identity.ts'
import { LogMark } from './log-mark.ts'
import { Query } from './query.ts'
import { schema, versionReader, versionsOf } from './schema.ts'
import { about, closed, fileGone, isSqlError, storeFailure } from './store-failure.ts'

export class Database {
  readonly file: string
  readonly #sql: DatabaseSync
  readonly #version: () => number
  #identity: FileIdentity | undefined
  #mark: LogMark | undefined
  /** The version with which this release was last found to work. */
  #bearable = schema.version
  #isOpen = true

  constructor(sql: DatabaseSync, file: string) {
    this.#sql = sql
    this.#version = versionReader(sql)
    this.file = file
  }

  /** Prepares a statement that returns no rows. */
  prepare(sql: string): StatementSync {
    return this.#sql.prepare(sql)
  }

  /** From now on a commit fails once the path names another file, or none. */
  identify(): void {
    this.#identity = new FileIdentity(this.file)
  }

  /** From now on the file tells a copy without its log. */
  mark(): void {
    this.#mark = new LogMark(this.#sql, this.file)
    this.#mark.opened()
  }

  /**
   * One transaction that writes; no other connection writes while `body` runs. When it returns, the changes are in the
   * file that the path names.
   */
  write<T>(body: () => T): T {
    const result = this.exclusively(() => {
      this.#refuseNewerSchema()
      return body()
    })
    const gone = this.#identity?.gone
    if (gone !== undefined) throw fileGone(this.file, gone)
    this.#mark?.written()
    return result
  }

  /** One transaction that reads: `body` sees the database at one moment. */
  atOnce<T>(body: () => T): T {
    return this.#within('BEGIN', body)
  }

  /** As `write`, for any schema version. */
  exclusively<T>(body: () => T): T {
    return this.#within('BEGIN IMMEDIATE', body)
  }

  #within<T>(begin: string, body: () => T): T {
    this.#sql.exec(begin)
    try {
      const result = body()
      this.#sql.exec('COMMIT')
      return result
    } catch (error) {
      this.#rollBack()
      throw error
    }
  }

  /** Writes the database anew, without what was deleted: into its log. No other connection writes meanwhile. */
  vacuum(): void {
    this.#sql.exec('VACUUM main')
  }

  /** Puts the log into the file, and leaves it empty. Throws `STORE_BUSY` while another connection reads or writes. */
  emptyLog(): void {
    const checkpoint = new Query<{ busy: number }>(this.#sql, 'PRAGMA wal_checkpoint(TRUNCATE)').get()
    if (checkpoint?.busy === 0) {
      this.#mark?.opened() // the file alone is again one that expects its log
      return
    }
    throw new StoreError(
      about(
        this.file,
        'another connection reads or writes, and what was deleted is still in its log. Compact it again.',
      ),
      { code: 'STORE_BUSY' },
    )
  }

  /** Calls `operation`; any error is thrown as a `StoreError`. */
  attempt<T>(operation: () => T): T {
    if (!this.#isOpen) throw closed(this.file)
    try {
      return operation()
    } catch (error) {
      throw storeFailure(error, this.file)
    }
  }

  close(): void {
    if (!this.#isOpen) return
    this.#isOpen = false
    try {
      this.#mark?.close()
    } finally {
      this.#sql.close()
    }
  }

  #rollBack(): void {
    try {
      this.#sql.exec('ROLLBACK')
    } catch (error) {
      if (!isSqlError(error)) throw error // else: SQLite has rolled back by itself, as it does when a disk is full
    }
  }

  /** A later release may have upgraded the open file, in a way that this one does not bear. */
  #refuseNewerSchema(): void {
    const version = this.#version()
    if (version === this.#bearable) return
    const versions = versionsOf(this.#sql, version)
    if (versions !== undefined && schema.fitOf(versions) === 'fits') {
      this.#bearable = version
      return
    }
    throw new StoreError(
      about(
        this.file,
        `its schema has become ${version} while this process, which knows ${schema.version}, had it open. ` +
          'Nothing was written: restart this process with the release that changed it.',
      ),
      { code: 'STORE_NEWER' },
    )
  }
}
