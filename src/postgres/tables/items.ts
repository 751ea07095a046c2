/** Working memory and configuration items. */
import type { ConfigChange, ConfigItem, JsonValue } from '../../index.ts'
import { fromColumn, toColumn } from '../../kit/sql/index.ts'
import type { Connections } from '../connection/connections.ts'
import type { Tables } from '../connection/schema.ts'

export function items(connections: Connections, { workingMemory, configItems }: Tables) {
  return {
    async workingMemory(resourceId: string, replacement: string | undefined): Promise<string | undefined> {
      if (replacement !== undefined) {
        await connections.query(
          `INSERT INTO ${workingMemory} (resource_id, content) VALUES ($1::text, $2::text)
           ON CONFLICT (resource_id) DO UPDATE SET content = excluded.content`,
          [toColumn(resourceId), toColumn(replacement)],
        )
        return replacement
      }
      const [row] = await connections.query<{ content: string }>(
        `SELECT content FROM ${workingMemory} WHERE resource_id = $1::text`,
        [toColumn(resourceId)],
      )
      return row === undefined ? undefined : fromColumn(row.content)
    },
    async items(kind: string): Promise<ConfigItem[]> {
      const rows = await connections.query<{ key: string; value: string }>(
        `SELECT key, value FROM ${configItems} WHERE kind = $1::text ORDER BY id`,
        [toColumn(kind)],
      )
      return rows.map(({ key, value }) => ({
        kind,
        key: fromColumn(key),
        value: JSON.parse(value) as JsonValue,
      }))
    },
    async setItem({ kind, key, value }: ConfigChange): Promise<void> {
      const place = [toColumn(kind), toColumn(key)]
      if (value === undefined) {
        await connections.query(`DELETE FROM ${configItems} WHERE kind = $1::text AND key = $2::text`, place)
        return
      }
      await connections.query(
        `INSERT INTO ${configItems} (kind, key, value) VALUES ($1::text, $2::text, $3::text)
         ON CONFLICT (kind, key) DO UPDATE SET value = excluded.value`,
        [...place, JSON.stringify(value)],
      )
    },
  }
}
