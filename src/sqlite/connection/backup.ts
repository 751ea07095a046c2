/** Writes a copy of a file as it is at one moment, while the store goes on. It runs in a thread of its own. */
import { StoreError } from '../../index.ts'
import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { defineChecksum } from './checksum.ts'
import { defineAddUsage } from './usage-function.ts'
import { markCopy } from './log-mark.ts'
import { nodeSqlite } from './node-sqlite.ts'
import { about, storeFailure } from './store-failure.ts'

/** Throws a `StoreError`, and leaves no file. `target`: the path of a file that does not exist. */
export function backUp(file: string, target: string, busyTimeout: number): void {
  const partial = `${target}.partial`
  reserve(target)
  try {
    within(file, (sql) => {
      sql.exec(`PRAGMA busy_timeout = ${busyTimeout}`)
      sql.prepare('VACUUM INTO ?').run(partial)
    })
    within(partial, (sql) => {
      defineChecksum(sql)
      defineAddUsage(sql)
      sql.exec('PRAGMA journal_mode = DELETE; PRAGMA synchronous = FULL')
      markCopy(sql)
    })
    const copy = openSync(partial, 'r+')
    fsyncSync(copy)
    closeSync(copy)
    renameSync(partial, target)
  } catch (error) {
    for (const path of [partial, `${partial}-journal`, target]) rmSync(path, { force: true })
    throw storeFailure(error, target)
  }
}

/** A file of that name is no backup to be replaced. */
function reserve(target: string): void {
  if (existsSync(target)) {
    const message = about(target, 'there is such a file. A backup goes to a new file: give another path.')
    throw new StoreError(message, { code: 'STORE_CANNOT_OPEN' })
  }
  try {
    closeSync(openSync(target, 'wx'))
  } catch (error) {
    throw storeFailure(error, target)
  }
  rmSync(`${target}.partial`, { force: true }) // of a process that ended during a backup
}

function within(file: string, act: (sql: DatabaseSync) => void): void {
  const { DatabaseSync } = nodeSqlite()
  const sql = new DatabaseSync(file)
  try {
    act(sql)
  } finally {
    sql.close()
  }
}
