/** Signals to runs from processes that do not own them, until they are in their journals or dropped. */
import type { EnqueueOutcome, Page, QueuedSignal, RunSignal, SignalClaim, SignalFilter } from '../../index.ts'
import { fromColumn, toColumn } from '../../kit/sql/index.ts'
import { checksumOf } from '../connection/checksum.ts'
import type { Database } from '../connection/database.ts'
import { parseStored } from '../connection/parse-stored.ts'
import { Query } from '../connection/query.ts'

export interface QueuedRow {
  readonly id: number
  readonly run_id: string
  readonly signal: string
  readonly claim: string | null
  readonly checksum: number
}

export function queuedSignals(database: Database) {
  const insert = database.prepare(
    'INSERT INTO queued_signals (run, signal, checksum) SELECT id, ?, ? FROM runs WHERE run_id = ?',
  )
  const insertClaim = database.prepare(
    `INSERT INTO queued_signals (run, signal, claim, checksum) SELECT id, ?, ?, ? FROM runs WHERE run_id = ? AND entries = ?
     ON CONFLICT (run, claim) WHERE claim IS NOT NULL DO NOTHING`,
  )
  const claimed = new Query<{ readonly id: number }>(
    database,
    `SELECT queued_signals.id FROM queued_signals JOIN runs ON runs.id = queued_signals.run
     WHERE runs.run_id = ? AND queued_signals.claim = ?`,
  )
  return {
    enqueueSignal(runId: string, signal: RunSignal, claim?: SignalClaim): EnqueueOutcome {
      const [run, text] = [toColumn(runId), JSON.stringify(signal)]
      return database.write(() => {
        if (claim === undefined) {
          const { changes } = insert.run(text, checksumOf(run, null, text), run)
          return changes === 0 ? 'outdated' : 'accepted'
        }
        const key = toColumn(claim.key)
        const checksum = checksumOf(run, key, text)
        if (insertClaim.run(text, key, checksum, run, claim.entries).changes > 0) return 'accepted'
        return claimed.get(run, key) === undefined ? 'outdated' : 'claimed'
      })
    },
  }
}

/** The signals that wait for the owners of runs. */
export function signalsOf(database: Database) {
  const select = new Query<QueuedRow>(
    database,
    `SELECT queued_signals.id, asked.value AS run_id, queued_signals.signal, queued_signals.claim,
       queued_signals.checksum
     FROM json_each(?) AS asked JOIN runs ON runs.run_id = asked.value
       JOIN queued_signals ON queued_signals.run = runs.id
     ORDER BY asked.key, queued_signals.id`,
  )
  return ({ runIds }: SignalFilter): Page<QueuedSignal> => {
    const rows = select.all(JSON.stringify(Array.from(new Set(runIds), toColumn)))
    return { items: rows.map((row) => queuedSignalOf(database, row)) }
  }
}

export function queuedSignalOf(database: Database, row: QueuedRow): QueuedSignal {
  const { id, claim } = row
  const runId = fromColumn(row.run_id)
  const columns = [row.run_id, claim, row.signal] as const
  const what = `the signal ${id} to the run "${runId}"`
  const signal = parseStored(database, row.checksum, columns, what) as RunSignal
  return { id, runId, signal, ...(claim === null ? {} : { claim: fromColumn(claim) }) }
}
