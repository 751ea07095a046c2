/** The schedules of a file. */
import type { Expiry, JsonValue, NextSchedules, Page, ScheduleFilter, ScheduleRow } from '../../index.ts'
import { pageOf } from '../../kit/index.ts'
import {
  Conditions,
  expirySql,
  fromColumn,
  scheduleIn,
  schedulesExpiring,
  sqlite,
  toColumn,
  toOptionalColumn,
  Values,
  type ScheduleColumns,
} from '../../kit/sql/index.ts'
import { checksumOf } from '../connection/checksum.ts'
import type { Database } from '../connection/database.ts'
import { parseStored } from '../connection/parse-stored.ts'
import { Queries } from '../connection/queries.ts'
import { Query } from '../connection/query.ts'

interface Row extends ScheduleColumns {
  readonly id: number
  readonly value: string
  readonly checksum: number
}

export function schedules(database: Database) {
  const lists = new Queries<Row>(database)
  const names = new Queries<{ readonly name: string }>(database)
  const due = new Query<Row>(
    database,
    `SELECT * FROM schedules WHERE wake_at IS NOT NULL AND agent IN (SELECT value FROM json_each(?))
     ORDER BY wake_at LIMIT ?`,
  )
  const revisionOf = new Query<{ revision: string }>(database, 'SELECT revision FROM schedules WHERE key = ?')
  const put = database.prepare(
    `INSERT INTO schedules (key, revision, agent, resource_id, wake_at, ended_at, value, checksum)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (key) DO UPDATE SET revision = excluded.revision, agent = excluded.agent,
       resource_id = excluded.resource_id, wake_at = excluded.wake_at, ended_at = excluded.ended_at,
       value = excluded.value, checksum = excluded.checksum`,
  )
  const remove = database.prepare('DELETE FROM schedules WHERE key = ?')

  const read = (row: Row): ScheduleRow => {
    const { key, revision, agent, resource_id, wake_at, ended_at, value } = row
    const columns = [key, revision, agent, resource_id, wake_at, ended_at, value] as const
    const what = `the schedule "${fromColumn(key)}"`
    return scheduleIn(row, parseStored(database, row.checksum, columns, what) as JsonValue)
  }
  return {
    schedules(filter: ScheduleFilter): Page<ScheduleRow> {
      const { sql, values } = new Conditions(sqlite)
        .text('key', filter.key)
        .text('agent', filter.agent)
        .text('resource_id', filter.resourceId)
        .page('schedules', 'id', filter)
        .end()
      const rows = lists.of(`SELECT * FROM schedules ${sql}`).all(...values)
      return pageOf('schedules', rows, filter.limit, {
        item: read,
        place: ({ id }) => ({ position: id }),
      })
    },
    nextSchedules({ agents, limit }: NextSchedules): ScheduleRow[] {
      return due.all(JSON.stringify(agents.map(toColumn)), limit).map(read)
    },
    writeSchedule(row: ScheduleRow, before: string | undefined): boolean {
      const key = toColumn(row.key)
      const columns = [
        key,
        toColumn(row.revision),
        toColumn(row.agent),
        toOptionalColumn(row.resourceId),
        row.wakeAt ?? null,
        row.endedAt ?? null,
        JSON.stringify(row.value),
      ] as const
      return database.write(() => {
        const kept = revisionOf.get(key)
        if (kept?.revision === toColumn(row.revision)) return true
        if (kept?.revision !== (before === undefined ? undefined : toColumn(before))) return false
        put.run(...columns, checksumOf(...columns))
        return true
      })
    },
    removeSchedule(key: string): boolean {
      return database.write(() => remove.run(toColumn(key)).changes > 0)
    },
    endedSchedules(expiry: Expiry): string[] {
      const values = new Values(sqlite)
      const found = names.of(expirySql(schedulesExpiring('schedules'), expiry, values)).all(...values.all)
      return found.map(({ name }) => fromColumn(name))
    },
  }
}
