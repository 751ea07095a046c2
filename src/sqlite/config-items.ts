/** Configuration items, in the order in which they were first set. */
import type { JsonValue } from '../actors/json.ts'
import type { ConfigItem } from '../runtime/config-storage.ts'
import { fromColumn, toColumn } from './column-text.ts'
import type { Database } from './database.ts'
import { parseStored } from './parse-stored.ts'
import { Query } from './query.ts'

export function configItems(database: Database) {
  const select = new Query<{ key: string; value: string }>(
    database,
    'SELECT key, value FROM config_items WHERE kind = ? ORDER BY id',
  )
  const put = database.prepare(
    `INSERT INTO config_items (kind, key, value) VALUES (?, ?, ?)
     ON CONFLICT (kind, key) DO UPDATE SET value = excluded.value`,
  )
  const remove = database.prepare('DELETE FROM config_items WHERE kind = ? AND key = ?')
  return {
    items(kind: string): ConfigItem[] {
      return select.all(toColumn(kind)).map((row) => {
        const key = fromColumn(row.key)
        const value = parseStored(database, row.value, `the item "${key}" of "${kind}"`) as JsonValue
        return { kind, key, value }
      })
    },
    setItem({ kind, key, value }: ConfigItem): void {
      database.write(() => put.run(toColumn(kind), toColumn(key), JSON.stringify(value)))
    },
    deleteItem(kind: string, key: string): void {
      database.write(() => remove.run(toColumn(kind), toColumn(key)))
    },
  }
}
