/** Working memory and configuration items. */
import type { ConfigChange, ConfigItem, Expiry, JsonValue, RunHolder } from '../../index.ts'
import { expirySql, fromColumn, notesExpiring, postgres, toColumn, Values } from '../../kit/sql/index.ts'
import type { Connections } from '../connection/connections.ts'
import type { Tables } from '../connection/schema.ts'
import { blobHolders } from './blob-holders.ts'

export function items(connections: Connections, tables: Tables) {
  const { workingMemory, configItems } = tables
  const holders = blobHolders(tables)
  return {
    /** `null`: the run was deleted. Nothing was written. */
    async workingMemory(
      resourceId: string,
      replacement: string | undefined,
      by: RunHolder | undefined,
      now: number,
    ): Promise<string | undefined | null> {
      if (replacement !== undefined) {
        return connections.transaction(async (session) => {
          if (await holders.isGone(session, by)) return null
          await session.query(
            `INSERT INTO ${workingMemory} (resource_id, content, updated_at) VALUES ($1::text, $2::text, $3::float8)
             ON CONFLICT (resource_id) DO UPDATE SET content = excluded.content, updated_at = excluded.updated_at`,
            [toColumn(resourceId), toColumn(replacement), now],
          )
          return replacement
        })
      }
      const [row] = await connections.query<{ content: string }>(
        `SELECT content FROM ${workingMemory} WHERE resource_id = $1::text`,
        [toColumn(resourceId)],
      )
      return row === undefined ? undefined : fromColumn(row.content)
    },
    async removeNotes(resourceId: string, unusedSince?: number): Promise<boolean> {
      let wasThere = false // also by an attempt whose answer was lost
      return connections.transaction(async (session) => {
        const removed = await session.query(
          `DELETE FROM ${workingMemory} WHERE resource_id = $1::text AND updated_at < coalesce($2::float8, 'Infinity')
           RETURNING 1`,
          [toColumn(resourceId), unusedSince ?? null],
        )
        wasThere ||= removed.length > 0
        return wasThere
      })
    },
    async oldNotes(expiry: Expiry): Promise<string[]> {
      const values = new Values(postgres)
      const sql = expirySql(notesExpiring(workingMemory), expiry, values)
      const found = await connections.query<{ name: string }>(sql, values.all)
      return found.map(({ name }) => fromColumn(name))
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
