/** Journals: appended to under the newest lease, and read back whole or not at all. */
import { type AppendReport, type JournalEntry, type QueuedSignal, StoreError } from '../../index.ts'
import type { RunBatch } from '../../kit/index.ts'
import { fromColumn, toColumn, type JournalRow, type SchemaVersions, entryRows } from '../../kit/sql/index.ts'
import type { Connections, Session } from '../connection/connections.ts'
import { statement } from '../connection/statement.ts'
import { about, corrupt } from '../connection/failures.ts'
import { refuseOtherRelease } from '../connection/migrate.ts'
import type { Tables } from '../connection/schema.ts'
import { appendSql, batchRows, isPlain, plainAppendSql, type PlacedBatch } from './append-sql.ts'
import type { Positions } from './positions.ts'
import { queuedSignalOf, type QueuedRow } from './queued-signals.ts'

interface Found {
  readonly run_id: string
  readonly token: number
  readonly entries: number
  readonly claim_id: string | null
  /** The entry at the position of the batch. */
  readonly entry: string | null
}

/** Why a batch was not kept, or that it was. */
type Verdict = 'kept' | 'lost' | 'again' | { readonly answered: readonly QueuedSignal[] }

/** An append of which some batches were not kept. */
interface Attempted {
  readonly id: string
  /** The answer to an attempt was lost. */
  readonly isInDoubt: boolean
}

/** How often a batch is tried again whose run was changed by others meanwhile. */
const mostRounds = 50

export function journals(connections: Connections, tables: Tables, positions: Positions) {
  const { schema, meta, runs, entries, queuedSignals } = tables
  const append = statement(appendSql(tables))
  const plainAppend = statement(plainAppendSql(tables))
  const placesSql = statement(
    `SELECT run_id, token, entries FROM ${runs}
     WHERE run_id IN (SELECT jsonb_array_elements_text(($1::text)::jsonb))`,
  )
  const readSql = statement(
    `SELECT runs.entries AS total, entries.seq, entries.entry
     FROM ${runs} AS runs LEFT JOIN ${entries} AS entries ON entries.run = runs.id AND entries.seq >= $2::bigint
     WHERE runs.run_id = $1::text ORDER BY entries.seq`,
  )

  /** Adds the positions: those of runs that this store does not know are looked up. */
  const placed = async (session: Session, batches: readonly RunBatch[]): Promise<PlacedBatch[]> => {
    const unknown = batches.filter(({ begins, lease }) => !begins && positions.get(lease) === undefined)
    if (unknown.length > 0) {
      const rows = await session.query<{ run_id: string; token: number; entries: number }>(placesSql, [
        JSON.stringify(unknown.map(({ runId }) => toColumn(runId))),
      ])
      for (const { run_id, token, entries: count } of rows)
        positions.set({ runId: fromColumn(run_id), token }, count)
    }
    return batches.map((batch) => {
      return { ...batch, position: batch.begins === undefined ? (positions.get(batch.lease) ?? -1) : 0 }
    })
  }

  const answersTo = async (session: Session, { runId, queued }: RunBatch): Promise<QueuedSignal[]> => {
    const rows = await session.query<QueuedRow>(
      `SELECT queued.id::float8 AS id, runs.run_id, queued.signal, queued.claim
       FROM ${runs} AS runs JOIN ${queuedSignals} AS queued ON queued.run = runs.id
       WHERE runs.run_id = $1::text AND queued.claim IS NOT NULL ORDER BY queued.id`,
      [toColumn(runId)],
    )
    return rows.filter(({ id }) => !queued.includes(id)).map((row) => queuedSignalOf(row, schema))
  }

  const verdictOn = async (
    session: Session,
    batch: PlacedBatch,
    found: Found | undefined,
    { id, isInDoubt }: Attempted,
  ): Promise<Verdict> => {
    const { lease, position } = batch
    if (found === undefined) return batch.begins === undefined ? 'lost' : 'again'
    if (found.token !== lease.token) return 'lost'
    if (batch.begins !== undefined) return found.claim_id === id ? 'kept' : 'lost'
    const isThere = found.entries === position + batch.entries.length && found.entry === batch.entries[0]
    if (isInDoubt && isThere) return 'kept'
    if (found.entries !== position) positions.set(lease, found.entries)
    const answered = batch.isRefusal ? [] : await answersTo(session, batch)
    return answered.length === 0 ? 'again' : { answered }
  }

  /** Finds out why batches were not kept. */
  const verdicts = (
    batches: readonly PlacedBatch[],
    attempted: Attempted,
  ): Promise<[PlacedBatch, Verdict][]> =>
    connections.attempt(async (session) => {
      const [versions] = await session.query<SchemaVersions>(`SELECT version, oldest FROM ${meta}`)
      if (versions !== undefined) refuseOtherRelease(versions, tables)
      const rows = await session.query<Found>(
        `SELECT runs.run_id, runs.token, runs.entries, runs.claim_id, entries.entry
         FROM jsonb_to_recordset(($1::text)::jsonb) AS b(run_id text, position int)
           JOIN ${runs} AS runs ON runs.run_id = b.run_id
           LEFT JOIN ${entries} AS entries ON entries.run = runs.id AND entries.seq = b.position`,
        [batchRows(batches)],
      )
      const found = new Map(rows.map((row) => [row.run_id, row]))
      const given: [PlacedBatch, Verdict][] = []
      for (const batch of batches)
        given.push([batch, await verdictOn(session, batch, found.get(toColumn(batch.runId)), attempted)])
      return given
    })

  const noteKept = ({ lease, position, entries: added, outcome }: PlacedBatch): void => {
    if (outcome === undefined) positions.set(lease, position + added.length)
    else positions.forget(lease.runId)
  }

  const appendInTurn = async (batches: readonly RunBatch[]): Promise<AppendReport | undefined> => {
    const lost = batches.filter(({ isMixed }) => isMixed).map(({ runId }) => runId)
    const answered: QueuedSignal[] = []
    const id = crypto.randomUUID()
    let isInDoubt = false
    let waiting: readonly RunBatch[] = batches.filter(({ isMixed }) => !isMixed)
    for (let round = 0; waiting.length > 0; round++) {
      if (round === mostRounds)
        throw new StoreError(about(schema, 'other processes change the same runs all the time: try again.'), {
          code: 'STORE_BUSY',
        })
      const { tried, kept } = await connections.attempt(async (session, failed) => {
        isInDoubt ||= failed > 0
        const tried = await placed(session, waiting)
        const rows = tried.every(isPlain)
          ? await session.query<{ run_id: string }>(plainAppend, [batchRows(tried)])
          : await session.query<{ run_id: string }>(append, [batchRows(tried), id])
        return { tried, kept: new Set(rows.map(({ run_id }) => run_id)) }
      })
      const rest = tried.filter(({ runId }) => !kept.has(toColumn(runId)))
      for (const batch of tried) if (!rest.includes(batch)) noteKept(batch)
      const again: RunBatch[] = []
      for (const [batch, verdict] of rest.length === 0 ? [] : await verdicts(rest, { id, isInDoubt })) {
        if (verdict === 'kept') noteKept(batch)
        else if (verdict === 'lost') lost.push(batch.runId)
        else if (verdict === 'again') again.push(batch)
        else answered.push(...verdict.answered)
      }
      waiting = again
    }
    for (const runId of lost) positions.forget(runId)
    if (lost.length + answered.length === 0) return undefined
    return { lost, ...(answered.length > 0 && { answered }) }
  }

  let turn: Promise<unknown> = Promise.resolve()

  return {
    /** One after the other: the position of each append is known from the one before. */
    append(batches: readonly RunBatch[]): Promise<AppendReport | undefined> {
      const appended = turn.then(() => appendInTurn(batches))
      turn = appended.catch(() => undefined) // the caller gets the error
      return appended
    },
    async read(runId: string, from: number): Promise<JournalEntry[] | undefined> {
      const rows = await connections.query<JournalRow>(readSql, [toColumn(runId), from])
      const found = entryRows(rows, runId, from, (finding) => corrupt(schema, finding))
      return found?.map(({ entry }) => JSON.parse(entry) as JournalEntry)
    },
  }
}
