/** Deletes runs that are settled, with all that the file has of them. */
import type { DeleteOutcome } from '../../index.ts'
import { toColumn } from '../../kit/sql/index.ts'
import type { Database } from '../connection/database.ts'
import { Query } from '../connection/query.ts'
import { blobHolders } from './blob-holders.ts'
import { isWhole, type SealedRun } from './run-checksum.ts'
import { rowDamaged, runDamage } from './run-damage.ts'

export function runDeletion(database: Database) {
  const select = new Query<SealedRun & { readonly id: number }>(
    database,
    'SELECT * FROM runs WHERE run_id = ?',
  )
  const removals = [
    'DELETE FROM entries WHERE run = ?',
    'DELETE FROM queued_signals WHERE run = ?',
    'DELETE FROM questions WHERE run = ?',
    'UPDATE run_positions SET highest = max(highest, ?)',
    'DELETE FROM runs WHERE id = ?',
  ].map((sql) => database.prepare(sql))
  const removeClaims = database.prepare('DELETE FROM thread_claims WHERE run_id = ?')
  const damage = runDamage(database)
  const holders = blobHolders(database)
  return {
    deleteRun(runId: string, now: number, atOnce: boolean): DeleteOutcome {
      return database.write(() => {
        const row = select.get(toColumn(runId))
        if (row === undefined) {
          damage.assertUnknown(runId)
          return 'unknown'
        }
        if (!isWhole(row)) throw rowDamaged(database, runId)
        if (row.outcome === null) return 'unfinished'
        for (const removal of removals) removal.run(row.id)
        removeClaims.run(row.run_id)
        holders.release({ runId }, now, atOnce)
        return 'deleted'
      })
    },
  }
}
