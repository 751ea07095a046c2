/** Signals to runs from processes that do not own them, until they are in their journals or dropped. */
import type { EnqueueOutcome, Page, QueuedSignal, RunSignal, SignalClaim, SignalFilter } from '../../index.ts'
import { fromColumn, toColumn, toOptionalColumn } from '../../kit/sql/index.ts'
import type { Connections, Session } from '../connection/connections.ts'
import { statement } from '../connection/statement.ts'
import { corrupt } from '../connection/failures.ts'
import type { Tables } from '../connection/schema.ts'

export interface QueuedRow {
  readonly id: number
  readonly run_id: string
  readonly signal: string
  readonly claim: string | null
}

interface Place {
  readonly id: string
  readonly entries: number
  readonly is_received: boolean
  readonly is_claimed: boolean
}

/** A receipt says that a signal was accepted; it stays longer than any operation is tried. */
const receiptAge = '1 day'

export function queuedSignals(connections: Connections, tables: Tables) {
  const { runs, receipts, channel, queuedSignals: queue } = tables

  const lockSql = statement(`SELECT 1 FROM ${runs} WHERE run_id = $1::text FOR NO KEY UPDATE`)
  const placeSql = statement(`SELECT id::text AS id, entries,
         EXISTS (SELECT 1 FROM ${receipts} WHERE ${receipts}.id = $2::text) AS is_received,
         EXISTS (SELECT 1 FROM ${queue} WHERE run = ${runs}.id AND claim = $3::text) AS is_claimed
       FROM ${runs} WHERE run_id = $1::text`)
  const queueSql =
    statement(`WITH queued AS (INSERT INTO ${queue} (run, signal, claim) VALUES ($1::bigint, $2::text, $3::text)),
             counted AS (UPDATE ${runs} SET answers = answers + 1 WHERE id = $1::bigint AND $3::text IS NOT NULL),
             old AS (DELETE FROM ${receipts} WHERE at < now() - interval '${receiptAge}'),
             received AS (INSERT INTO ${receipts} (id) VALUES ($4::text))
           SELECT pg_notify('${channel}', 'signals ' || $5::text)`)

  /** The run is locked: no entry is appended and no other signal is queued until the transaction ends. */
  const placeOf = async (
    session: Session,
    runId: string,
    receipt: string,
    key: string | null,
  ): Promise<Place | undefined> => {
    await session.query(lockSql, [runId])
    const [place] = await session.query<Place>(placeSql, [runId, receipt, key])
    return place
  }

  return {
    enqueueSignal(runId: string, signal: RunSignal, claim?: SignalClaim): Promise<EnqueueOutcome> {
      const receipt = crypto.randomUUID()
      const [run, key] = [toColumn(runId), toOptionalColumn(claim?.key)]
      return connections.transaction(async (session) => {
        const place = await placeOf(session, run, receipt, key)
        if (place === undefined) return 'outdated'
        if (place.is_received) return 'accepted' // by an attempt whose answer was lost
        if (place.is_claimed) return 'claimed'
        if (claim !== undefined && place.entries !== claim.entries) return 'outdated'
        await session.query(queueSql, [place.id, JSON.stringify(signal), key, receipt, run])
        return 'accepted'
      })
    },
  }
}

/** The signals that wait for the owners of runs. */
export function signalsOf(connections: Connections, { schema, runs, queuedSignals }: Tables) {
  const waitingSql = statement(`SELECT queued.id::float8 AS id, runs.run_id, queued.signal, queued.claim
       FROM jsonb_array_elements_text(($1::text)::jsonb) WITH ORDINALITY AS asked(run_id, n)
         JOIN ${runs} AS runs ON runs.run_id = asked.run_id JOIN ${queuedSignals} AS queued ON queued.run = runs.id
       ORDER BY asked.n, queued.id`)
  return async ({ runIds }: SignalFilter): Promise<Page<QueuedSignal>> => {
    if (runIds.length === 0) return { items: [] }
    const rows = await connections.query<QueuedRow>(waitingSql, [
      JSON.stringify(Array.from(new Set(runIds), toColumn)),
    ])
    return { items: rows.map((row) => queuedSignalOf(row, schema)) }
  }
}

export function queuedSignalOf({ id, run_id, signal, claim }: QueuedRow, schema: string): QueuedSignal {
  const runId = fromColumn(run_id)
  try {
    const parsed = JSON.parse(signal) as RunSignal
    return { id, runId, signal: parsed, ...(claim === null ? {} : { claim: fromColumn(claim) }) }
  } catch (error) {
    throw corrupt(schema, `the signal ${id} to the run "${runId}" is no JSON.`, error)
  }
}
