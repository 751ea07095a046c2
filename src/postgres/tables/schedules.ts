/** The schedules of the tables. */
import type { Expiry, JsonValue, NextSchedules, Page, ScheduleFilter, ScheduleRow } from '../../index.ts'
import {
  Conditions,
  expirySql,
  fromColumn,
  postgres,
  scheduleIn,
  schedulesExpiring,
  toColumn,
  toOptionalColumn,
  Values,
  type ScheduleColumns,
} from '../../kit/sql/index.ts'
import type { Connections } from '../connection/connections.ts'
import type { Tables } from '../connection/schema.ts'
import { numberingLock, settledPage } from './settled-page.ts'

interface Row extends ScheduleColumns {
  readonly id: number
  readonly value: string
}

export function schedules(connections: Connections, tables: Tables) {
  const select = `SELECT id::float8 AS id, key, revision, agent, resource_id, wake_at, ended_at, value FROM ${tables.schedules}`
  const read = (row: Row): ScheduleRow => scheduleIn(row, JSON.parse(row.value) as JsonValue)
  return {
    schedules: (filter: ScheduleFilter): Promise<Page<ScheduleRow>> =>
      settledPage<Row, ScheduleRow>(connections, {
        list: 'schedules',
        statement(upTo) {
          const conditions = new Conditions(postgres)
            .text('key', filter.key)
            .text('agent', filter.agent)
            .text('resource_id', filter.resourceId)
            .page('schedules', 'id', filter)
          if (upTo !== undefined) conditions.upTo('id', upTo)
          const { sql, values } = conditions.end()
          return { sql: `${select} ${sql}`, values }
        },
        isForward: filter.order !== 'newest',
        limit: filter.limit,
        place: ({ id }) => ({ position: id }),
        item: read,
      }),
    async nextSchedules({ agents, limit }: NextSchedules): Promise<ScheduleRow[]> {
      const rows = await connections.query<Row>(
        `${select} WHERE wake_at IS NOT NULL AND agent = ANY($1::text[]) ORDER BY wake_at LIMIT $2::bigint`,
        [agents.map(toColumn), limit],
      )
      return rows.map(read)
    },
    /** The revision that is kept is that of this row also where the answer of an earlier attempt was lost. */
    async writeSchedule(row: ScheduleRow, before: string | undefined): Promise<boolean> {
      const columns = [
        toColumn(row.key),
        toColumn(row.revision),
        toColumn(row.agent),
        toOptionalColumn(row.resourceId),
        row.wakeAt ?? null,
        row.endedAt ?? null,
        JSON.stringify(row.value),
      ]
      const kept = await connections.transaction(async (session) => {
        await session.query(`SELECT pg_advisory_xact_lock_shared(${numberingLock(connections.schema)})`)
        const written =
          before === undefined
            ? await session.query(
                `INSERT INTO ${tables.schedules} (key, revision, agent, resource_id, wake_at, ended_at, value)
                 VALUES ($1::text, $2::text, $3::text, $4::text, $5::float8, $6::float8, $7::text)
                 ON CONFLICT (key) DO NOTHING RETURNING 1`,
                columns,
              )
            : await session.query(
                `UPDATE ${tables.schedules} SET revision = $2::text, agent = $3::text, resource_id = $4::text,
                   wake_at = $5::float8, ended_at = $6::float8, value = $7::text
                 WHERE key = $1::text AND revision = $8::text RETURNING 1`,
                [...columns, toColumn(before)],
              )
        if (written.length > 0) return written
        return session.query(
          `SELECT 1 FROM ${tables.schedules} WHERE key = $1::text AND revision = $2::text`,
          [toColumn(row.key), toColumn(row.revision)],
        )
      })
      return kept.length > 0
    },
    async removeSchedule(key: string): Promise<boolean> {
      let wasThere = false // also by an attempt whose answer was lost
      return connections.transaction(async (session) => {
        const removed = await session.query(
          `DELETE FROM ${tables.schedules} WHERE key = $1::text RETURNING 1`,
          [toColumn(key)],
        )
        wasThere ||= removed.length > 0
        return wasThere
      })
    },
    async endedSchedules(expiry: Expiry): Promise<string[]> {
      const values = new Values(postgres)
      const sql = expirySql(schedulesExpiring(tables.schedules), expiry, values)
      const found = await connections.query<{ name: string }>(sql, values.all)
      return found.map(({ name }) => fromColumn(name))
    },
  }
}
