/** Deletes runs that are settled. */
import type { DeleteOutcome } from '../../index.ts'
import { toColumn } from '../../kit/sql/index.ts'
import type { Connections } from '../connection/connections.ts'
import type { Tables } from '../connection/schema.ts'
import { blobHolders } from './blob-holders.ts'
import type { Positions } from './positions.ts'

export function runDeletion(connections: Connections, tables: Tables, positions: Positions) {
  const { runs, threadClaims } = tables
  const holders = blobHolders(tables)

  return {
    async deleteRun(runId: string, now: number, atOnce: boolean): Promise<DeleteOutcome> {
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
        await holders.release(session, { runId }, now, atOnce)
        return 'deleted'
      })
      positions.forget(runId)
      return outcome
    },
  }
}
