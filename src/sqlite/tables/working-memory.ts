/** The notes on resources. */
import { fromColumn, toColumn } from '../../kit/sql/index.ts'
import { checksumOf } from '../connection/checksum.ts'
import type { Database } from '../connection/database.ts'
import { assertWhole } from '../connection/parse-stored.ts'
import { Query } from '../connection/query.ts'
import { corrupt } from '../connection/store-failure.ts'

export function workingMemories(database: Database) {
  const select = new Query<{ content: string; checksum: number }>(
    database,
    'SELECT content, checksum FROM working_memory WHERE resource_id = ?',
  )
  const again = new Query<{ checksum: number }>(
    database,
    'SELECT checksum FROM working_memory INDEXED BY working_memory_again WHERE resource_id = ?',
  )
  const put = database.prepare(
    `INSERT INTO working_memory (resource_id, content, checksum) VALUES (?, ?, ?)
     ON CONFLICT (resource_id) DO UPDATE SET content = excluded.content, checksum = excluded.checksum`,
  )
  return {
    workingMemory(resourceId: string, replacement: string | undefined): string | undefined {
      if (replacement !== undefined) {
        const columns = [toColumn(resourceId), toColumn(replacement)] as const
        database.write(() => put.run(...columns, checksumOf(...columns)))
        return replacement
      }
      const row = select.get(toColumn(resourceId))
      if (row === undefined) {
        if (again.get(toColumn(resourceId)) === undefined) return undefined
        throw corrupt(database.file, `the working memory of "${resourceId}" is there, and cannot be found.`)
      }
      const columns = [toColumn(resourceId), row.content]
      assertWhole(database, row.checksum, columns, `the working memory of "${resourceId}"`)
      return fromColumn(row.content)
    },
  }
}
