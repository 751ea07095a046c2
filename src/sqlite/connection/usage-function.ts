/** The usage of a run as its row holds it, JSON, and its addition as a function of SQL. */
import type { DatabaseSync, SQLOutputValue } from 'node:sqlite'
import { addUsage } from '../../actors/usage.ts'
import { usageIn } from '../../runtime/journal/sql/run-row.ts'

export const addUsageFunction = 'troupe_add_usage'

export function defineAddUsage(sql: DatabaseSync): void {
  sql.function(addUsageFunction, { deterministic: true }, (before, added) =>
    JSON.stringify(addUsage(usageIn(columnOf(before)), usageIn(columnOf(added)))),
  )
}

function columnOf(value: SQLOutputValue): string | null {
  return typeof value === 'string' ? value : null
}
