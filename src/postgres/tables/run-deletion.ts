/** Deletes runs that are settled, and names the runs and threads that a retention deletes. */
import { fromColumn, toColumn } from '../../runtime/journal/column-text.ts'
import type { Expiry } from '../../runtime/journal/run-index.ts'
import type { DeleteOutcome } from '../../runtime/journal/store.ts'
import type { Connections } from '../connection/connections.ts'
import type { Tables } from '../connection/schema.ts'
import { blobHolders } from './blob-holders.ts'
import type { Positions } from './positions.ts'

export function runDeletion(connections: Connections, tables: Tables, positions: Positions) {
  const { runs, threads, threadClaims } = tables
  const holders = blobHolders(tables)

  /** `from`: the rows to choose from, with `updated_at`; `name`: their column. The first changed come first. */
  const expired = async (from: string, name: string, { before, keep, limit }: Expiry): Promise<string[]> => {
    // Those that are too old and those that are too many both begin with the first changed: the longer list holds the other.
    const rows = await connections.query<{ name: string }>(
      `SELECT ${name} AS name ${from} ORDER BY updated_at LIMIT least($3::bigint, greatest(
         (SELECT count(*) FROM (SELECT 1 ${from} AND updated_at < $1::float8 LIMIT $3::bigint) AS aged),
         CASE WHEN $2::bigint IS NULL THEN 0 ELSE (SELECT count(*) ${from}) - $2::bigint END))`,
      [before ?? null, keep ?? null, limit],
    )
    return rows.map((row) => fromColumn(row.name))
  }

  return {
    async deleteRun(runId: string, now: number): Promise<DeleteOutcome> {
      const run = toColumn(runId)
      let wasThere = false
      const outcome = await connections.transaction(async (session): Promise<DeleteOutcome> => {
        const [found] = await session.query<{ outcome: string | null }>(
          `SELECT outcome FROM ${runs} WHERE run_id = $1::text FOR UPDATE`,
          [run],
        )
        // By an attempt whose answer was lost.
        if (found === undefined) return wasThere ? 'deleted' : 'unknown'
        if (found.outcome === null) return 'unfinished'
        wasThere = true
        await session.query(`DELETE FROM ${runs} WHERE run_id = $1::text`, [run])
        await session.query(`DELETE FROM ${threadClaims} WHERE run_id = $1::text`, [run])
        await holders.release(session, { runId }, now)
        return 'deleted'
      })
      positions.forget(runId)
      return outcome
    },
    expiredRuns(expiry: Expiry): Promise<string[]> {
      return expired(`FROM ${runs} WHERE outcome IS NOT NULL`, 'run_id', expiry)
    },
    /** Not the threads that unfinished runs begin with. */
    expiredThreads(expiry: Expiry): Promise<string[]> {
      const unused = `FROM ${threads} AS threads WHERE NOT EXISTS
        (SELECT 1 FROM ${runs} AS runs WHERE runs.thread_id = threads.thread_id AND runs.outcome IS NULL)`
      return expired(unused, 'thread_id', expiry)
    },
  }
}
