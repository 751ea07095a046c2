/** Configuration items, in the order in which they were first set. */
import type { ConfigChange, ConfigItem, JsonValue } from '../../index.ts'
import { fromColumn, toColumn } from '../../kit/sql/index.ts'
import { checksumOf } from '../connection/checksum.ts'
import type { Database } from '../connection/database.ts'
import { parseStored } from '../connection/parse-stored.ts'
import { Query } from '../connection/query.ts'

export function configItems(database: Database) {
  const select = new Query<{ key: string; value: string; checksum: number }>(
    database,
    'SELECT key, value, checksum FROM config_items WHERE kind = ? ORDER BY id',
  )
  const put = database.prepare(
    `INSERT INTO config_items (kind, key, value, checksum) VALUES (?, ?, ?, ?)
     ON CONFLICT (kind, key) DO UPDATE SET value = excluded.value, checksum = excluded.checksum`,
  )
  const remove = database.prepare('DELETE FROM config_items WHERE kind = ? AND key = ?')
  return {
    items(kind: string): ConfigItem[] {
      return select.all(toColumn(kind)).map((row) => {
        const columns = [toColumn(kind), row.key, row.value] as const
        const value = parseStored(database, row.checksum, columns, `the item "${row.key}" of "${kind}"`)
        return { kind, key: fromColumn(row.key), value: value as JsonValue }
      })
    },
    setItem({ kind, key, value }: ConfigChange): void {
      if (value === undefined) {
        database.write(() => remove.run(toColumn(kind), toColumn(key)))
        return
      }
      const columns = [toColumn(kind), toColumn(key), JSON.stringify(value)] as const
      database.write(() => put.run(...columns, checksumOf(...columns)))
    },
  }
}
