/** The usage of a run as its row holds it, JSON, and its addition as a function of SQL. */
import { addUsage } from '../../kit/index.ts'
import { usageIn } from '../../kit/sql/index.ts'
import type { DatabaseSync, SQLOutputValue } from 'node:sqlite'

export const addUsageFunction = 'troupe_add_usage'

export function defineAddUsage(sql: DatabaseSync): void {
  sql.function(addUsageFunction, { deterministic: true }, (before, added) =>
    JSON.stringify(addUsage(usageIn(columnOf(before)), usageIn(columnOf(added)))),
  )
}

function columnOf(value: SQLOutputValue): string | null {
  return typeof value === 'string' ? value : null
}
