/** The notes on resources. */
import type { Expiry, RunHolder } from '../../index.ts'
import { fromColumn, toColumn, Values, expirySql, notesExpiring, sqlite } from '../../kit/sql/index.ts'
import { checksumOf } from '../connection/checksum.ts'
import type { Database } from '../connection/database.ts'
import { assertWhole } from '../connection/parse-stored.ts'
import { Queries } from '../connection/queries.ts'
import { Query } from '../connection/query.ts'
import { corrupt } from '../connection/store-failure.ts'
import { blobHolders } from './blob-holders.ts'

export function workingMemories(database: Database) {
  const select = new Query<{ content: string; updated_at: number; checksum: number }>(
    database,
    'SELECT content, updated_at, checksum FROM working_memory WHERE resource_id = ?',
  )
  const again = new Query<{ checksum: number }>(
    database,
    'SELECT checksum FROM working_memory INDEXED BY working_memory_again WHERE resource_id = ?',
  )
  const put = database.prepare(
    `INSERT INTO working_memory (resource_id, content, updated_at, checksum) VALUES (?, ?, ?, ?)
     ON CONFLICT (resource_id) DO UPDATE
       SET content = excluded.content, updated_at = excluded.updated_at, checksum = excluded.checksum`,
  )
  const remove = database.prepare('DELETE FROM working_memory WHERE resource_id = ? AND updated_at < ?')
  const names = new Queries<{ readonly name: string }>(database)
  const holders = blobHolders(database)
  return {
    /** `null`: the run was deleted. Nothing was written. */
    workingMemory(
      resourceId: string,
      replacement: string | undefined,
      by: RunHolder | undefined,
      now: number,
    ): string | undefined | null {
      if (replacement !== undefined) {
        const columns = [toColumn(resourceId), toColumn(replacement), now] as const
        return database.write(() => {
          if (holders.isGone(by)) return null
          put.run(...columns, checksumOf(...columns))
          return replacement
        })
      }
      const row = select.get(toColumn(resourceId))
      if (row === undefined) {
        if (again.get(toColumn(resourceId)) === undefined) return undefined
        throw corrupt(database.file, `the working memory of "${resourceId}" is there, and cannot be found.`)
      }
      const columns = [toColumn(resourceId), row.content, row.updated_at]
      assertWhole(database, row.checksum, columns, `the working memory of "${resourceId}"`)
      return fromColumn(row.content)
    },
    removeNotes(resourceId: string, unusedSince = Number.MAX_VALUE): boolean {
      return database.write(() => remove.run(toColumn(resourceId), unusedSince).changes > 0)
    },
    oldNotes(expiry: Expiry): string[] {
      const values = new Values(sqlite)
      const found = names.of(expirySql(notesExpiring('working_memory'), expiry, values)).all(...values.all)
      return found.map(({ name }) => fromColumn(name))
    },
  }
}
