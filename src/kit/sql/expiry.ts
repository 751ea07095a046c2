/** The runs and threads that a retention deletes, in SQL. */
import type { Expiry } from '../../runtime/journal/run-index.ts'
import type { Values } from './conditions.ts'

/** Rows with a column `updated_at`, of which a retention chooses. */
export interface Expiring {
  /** `FROM … WHERE …`. */
  readonly from: string
  /** The column that names a row. */
  readonly name: string
}

/** `runs`, `threads`: the names of the tables. */
export function expiring(tables: { readonly runs: string; readonly threads: string }): {
  readonly endedRuns: Expiring
  readonly unusedThreads: Expiring
} {
  return {
    endedRuns: { from: `FROM ${tables.runs} WHERE outcome IS NOT NULL`, name: 'run_id' },
    // Not the threads that unfinished runs begin with.
    unusedThreads: {
      from: `FROM ${tables.threads} AS threads WHERE NOT EXISTS
        (SELECT 1 FROM ${tables.runs} AS runs WHERE runs.thread_id = threads.thread_id AND runs.outcome IS NULL)`,
      name: 'thread_id',
    },
  }
}

/** `table`: the name of the table of notes. */
export function notesExpiring(table: string): Expiring {
  return { from: `FROM ${table} WHERE true`, name: 'resource_id' }
}

/** `table`: the name of the table of schedules. */
export function schedulesExpiring(table: string): Expiring {
  return {
    from: `FROM (SELECT key, ended_at AS updated_at FROM ${table} WHERE ended_at IS NOT NULL) AS ended WHERE true`,
    name: 'key',
  }
}

/**
 * The statement. Those that are too old and those that are too many both begin with the row that was changed first, so that
 * the longer list holds the other.
 */
export function expirySql(
  { from, name }: Expiring,
  { before, keep, limit = Number.MAX_SAFE_INTEGER }: Expiry,
  values: Values,
): string {
  const aged =
    before === undefined
      ? '0'
      : `(SELECT count(*) FROM (SELECT 1 ${from} AND updated_at < ${values.add(before, 'float8')}
          LIMIT ${values.add(limit, 'bigint')}) AS aged)`
  const beyond = keep === undefined ? '0' : `(SELECT count(*) ${from}) - ${values.add(keep, 'bigint')}`
  return `SELECT ${name} AS name ${from} ORDER BY updated_at LIMIT (SELECT min(n) FROM (
    SELECT max(n) AS n FROM (SELECT ${aged} AS n UNION ALL SELECT ${beyond}) AS counts
    UNION ALL SELECT ${values.add(limit, 'bigint')}) AS most)`
}
