/** The runs and threads that a retention deletes. */
import type { Expiry } from '../../runtime/journal/run-index.ts'
import { fromColumn } from '../../runtime/journal/column-text.ts'
import type { Database } from '../connection/database.ts'
import { Query } from '../connection/query.ts'

interface Row {
  readonly name: string
}

/** `from`: the rows to choose from, with `updated_at`; `name`: their column. */
function expiry(database: Database, from: string, name: string): (given: Expiry) => string[] {
  const all = new Query<{ total: number }>(database, `SELECT count(*) AS total ${from}`)
  const old = new Query<Row>(
    database,
    `SELECT ${name} AS name ${from} AND updated_at < ? ORDER BY updated_at LIMIT ?`,
  )
  const first = new Query<Row>(database, `SELECT ${name} AS name ${from} ORDER BY updated_at LIMIT ?`)
  return ({ before, keep, limit }) =>
    database.atOnce(() => {
      const beyond = keep === undefined ? 0 : Math.max(0, (all.get()?.total ?? 0) - keep)
      const aged = before === undefined ? [] : old.all(before, limit)
      // Both begin with the row that was changed first: the longer list holds the other.
      const rows = aged.length >= Math.min(beyond, limit) ? aged : first.all(Math.min(beyond, limit))
      return rows.map((row) => fromColumn(row.name))
    })
}

export function runExpiry(database: Database): (given: Expiry) => string[] {
  return expiry(database, 'FROM runs WHERE outcome IS NOT NULL', 'run_id')
}

/** Not the threads that unfinished runs begin with. */
export function threadExpiry(database: Database): (given: Expiry) => string[] {
  const unused = `FROM threads WHERE NOT EXISTS
    (SELECT 1 FROM runs WHERE runs.thread_id = threads.thread_id AND runs.outcome IS NULL)`
  return expiry(database, unused, 'thread_id')
}
