/** A schedule as a row of SQL. */
import type { JsonValue } from '../../actors/values/json.ts'
import type { ScheduleRow } from '../../runtime/journal/schedule-storage.ts'
import { fromColumn } from './column-text.ts'

/** The columns of a schedule. */
export interface ScheduleColumns {
  readonly key: string
  readonly revision: string
  readonly agent: string
  readonly resource_id: string | null
  readonly wake_at: number | null
  readonly ended_at: number | null
}

/** The row of a schedule. `value`: as its column is read. */
export function scheduleIn(columns: ScheduleColumns, value: JsonValue): ScheduleRow {
  const { key, revision, agent, resource_id, wake_at, ended_at } = columns
  return {
    key: fromColumn(key),
    revision: fromColumn(revision),
    agent: fromColumn(agent),
    ...(resource_id === null ? {} : { resourceId: fromColumn(resource_id) }),
    ...(wake_at === null ? {} : { wakeAt: wake_at }),
    ...(ended_at === null ? {} : { endedAt: ended_at }),
    value,
  }
}
