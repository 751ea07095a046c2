/** Checks whether a run that a statement did not find is damaged, and not only of another owner or unknown. */
import { toColumn } from '../../kit/sql/index.ts'
import type { Database } from '../connection/database.ts'
import { Query } from '../connection/query.ts'
import { isWhole, type SealedRun } from './run-checksum.ts'
import { corrupt } from '../connection/store-failure.ts'

export function runDamage(database: Database) {
  const select = new Query<SealedRun>(database, 'SELECT * FROM runs WHERE run_id = ?')
  const again = new Query<{ run_id: string }>(
    database,
    'SELECT run_id FROM runs INDEXED BY runs_again WHERE run_id = ?',
  )
  /** Throws `STORE_CORRUPT` for a run that only the first index does not have: that index is damaged. */
  const assertUnknown = (runId: string): void => {
    if (again.get(toColumn(runId)) !== undefined)
      throw corrupt(database.file, `the run "${runId}" is there, and its index does not have it.`)
  }
  return {
    /** Throws `STORE_CORRUPT` for a damaged row or index. */
    assertNone(runId: string): void {
      const row = select.get(toColumn(runId))
      if (row === undefined) assertUnknown(runId)
      else if (!isWhole(row)) throw rowDamaged(database, runId)
    },
    assertUnknown,
  }
}

export function rowDamaged(database: Database, runId: string): Error {
  return corrupt(
    database.file,
    `what is stored of the run "${runId}", beside its entries, is not what was written (its checksum differs).`,
  )
}
