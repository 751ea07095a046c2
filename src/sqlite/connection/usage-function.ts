/** The usage of a run as its row holds it, JSON, and its addition as a function of SQL. */
import type { DatabaseSync, SQLOutputValue } from 'node:sqlite'
import { addUsage, noUsage, type Usage } from '../../actors/usage.ts'

export const addUsageFunction = 'troupe_add_usage'

export function defineAddUsage(sql: DatabaseSync): void {
  sql.function(addUsageFunction, { deterministic: true }, (before, added) =>
    JSON.stringify(addUsage(usageIn(before), usageIn(added))),
  )
}

/** NULL: no model call has ended. */
export function usageIn(column: SQLOutputValue): Usage {
  return typeof column === 'string' ? (JSON.parse(column) as Usage) : noUsage
}
