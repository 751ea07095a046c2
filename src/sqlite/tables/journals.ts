/** Journals: appended to under the newest lease, and read back whole or not at all. */
import type { AppendReport, JournalEntry, QueuedSignal } from '../../index.ts'
import { type RunBatch, blobRefsIn } from '../../kit/index.ts'
import { toColumn, toOptionalColumn, type JournalRow, entryRows } from '../../kit/sql/index.ts'
import { checksumOf, entryChecksums } from '../connection/checksum.ts'
import { addUsageFunction } from '../connection/usage-function.ts'
import type { Database } from '../connection/database.ts'
import { Query } from '../connection/query.ts'
import { blobHolders } from './blob-holders.ts'
import { ledgerEntries } from './ledger.ts'
import { questionRows } from './question-rows.ts'
import { queuedSignalOf, type QueuedRow } from './queued-signals.ts'
import { changedRun, isRunWhole } from './run-checksum.ts'
import { runDamage } from './run-damage.ts'
import { corrupt } from '../connection/store-failure.ts'
import { threadClaims } from './thread-claims.ts'

interface Place {
  readonly run: number
  /** The number of entries that the run had. */
  readonly entries: number
}

type ReadRow = JournalRow & { readonly checksum: number }

/** Beyond the id of every run that is, or was, in the file. */
const nextPosition = `(SELECT max(highest, coalesce((SELECT max(id) FROM runs), 0)) + 1 FROM run_positions)`

/** The usage of the run with that of the batch. `isWhole`: that of the batch is of the whole run. */
const usageWith = `CASE WHEN outcome IS NOT NULL THEN usage
  WHEN :isWhole OR usage IS NULL THEN coalesce(:usage, usage) ELSE ${addUsageFunction}(usage, :usage) END`

/** An entry sets only what it changes: the indexes of other columns are not looked at. */
const stepped = {
  entries: 'entries + :added',
  updated_at: 'coalesce(:updatedAt, updated_at)',
  suspended_at: 'coalesce(:suspendedAt, suspended_at)',
}

const spent = { ...stepped, usage: usageWith }

const settled = {
  ...spent,
  outcome: 'coalesce(:outcome, outcome)',
  code: 'CASE WHEN ended_at IS NULL THEN :code ELSE code END',
  ended_at: 'coalesce(ended_at, :endedAt)',
}

export function journals(database: Database) {
  const begin = new Query<Place>(
    database,
    `INSERT INTO runs (id, run_id, agent, conversation_id, forked_from, outcome, entries, started_at, updated_at,
       owner, token, expires_at, thread_id, resource_id, usage, suspended_at, nested_in, code,
       task, counts_from, ended_at, checksum)
     VALUES (${nextPosition}, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (run_id) DO NOTHING
     RETURNING id AS run, 0 AS entries`,
  )
  const extend = (changes: Parameters<typeof changedRun>[0]) =>
    new Query<Place>(
      database,
      `UPDATE runs SET ${changedRun(changes)} WHERE run_id = :runId AND token = :token AND ${isRunWhole}
       RETURNING id AS run, entries - :added AS entries`,
    )
  const [step, spend, settle] = [extend(stepped), extend(spent), extend(settled)]
  const removeQueued = database.prepare('DELETE FROM queued_signals WHERE id = ? AND run = ?')
  const someAccepted = new Query<object>(
    database,
    'SELECT 1 FROM queued_signals WHERE claim IS NOT NULL LIMIT 1',
  )
  const accepted = new Query<QueuedRow>(
    database,
    `SELECT queued_signals.id, runs.run_id, queued_signals.signal, queued_signals.claim, queued_signals.checksum
      FROM runs JOIN queued_signals ON queued_signals.run = runs.id AND queued_signals.claim IS NOT NULL
      WHERE runs.run_id = ? AND runs.token = ? ORDER BY queued_signals.id`,
  )
  const ended = new Query<Place>(
    database,
    'SELECT id AS run, entries FROM runs WHERE run_id = ? AND outcome IS NOT NULL',
  )
  const insert = database.prepare('INSERT INTO entries (run, seq, entry, checksum) VALUES (?, ?, ?, ?)')
  const select = new Query<ReadRow>(
    database,
    `SELECT runs.entries AS total, entries.seq, entries.entry, entries.checksum
     FROM runs LEFT JOIN entries ON entries.run = runs.id AND entries.seq >= ?
     WHERE runs.run_id = ? ORDER BY entries.seq`,
  )

  const claims = threadClaims(database)
  const ledger = ledgerEntries(database)
  const damage = runDamage(database)
  const questions = questionRows(database)
  const holders = blobHolders(database)

  /** `undefined`: another owner has the run, or there is none. */
  const placeOf = ({ runId, lease, begins, entries, updatedAt, ...batch }: RunBatch): Place | undefined => {
    const outcome = batch.outcome ?? null
    const usage = batch.usage === undefined ? null : JSON.stringify(batch.usage)
    const suspendedAt = batch.suspendedAt ?? null
    const code = toOptionalColumn(batch.code)
    const endedAt = batch.endedAt ?? null
    const over = batch.isRefusal ? ended.get(toColumn(runId)) : undefined
    if (over !== undefined) return over // nobody goes on with it
    if (begins === undefined) {
      const { token } = lease
      const changes = {
        runId: toColumn(runId),
        token,
        added: entries.length,
        updatedAt: updatedAt ?? null,
        suspendedAt,
      }
      if (outcome !== null) return settle.getNamed({ ...changes, usage, isWhole: 1, outcome, code, endedAt })
      return usage === null ? step.getNamed(changes) : spend.getNamed({ ...changes, usage, isWhole: 0 })
    }
    const { agent, startedAt, conversationId, forkedFrom, nestedIn, threadId, resourceId, task, countsFrom } =
      begins
    const columns = [
      toColumn(runId),
      toColumn(agent),
      toOptionalColumn(conversationId),
      toOptionalColumn(forkedFrom),
      outcome,
      entries.length,
      startedAt,
      updatedAt ?? startedAt,
      lease.owner,
      lease.token,
      lease.expiresAt,
    ] as const
    const place = [toOptionalColumn(threadId), toOptionalColumn(resourceId), usage, suspendedAt] as const
    const outer = toOptionalColumn(nestedIn)
    const found = [code, toOptionalColumn(task), countsFrom, endedAt] as const
    const checksum = checksumOf(...columns, 0, null, ...place, 0, 0, outer, ...found)
    return begin.get(...columns, ...place, outer, ...found, checksum)
  }

  /** The accepted answers to the run from which none of the entries comes. */
  const answeredBefore = ({ runId, lease, begins, queued, isRefusal }: RunBatch): QueuedSignal[] => {
    if (begins !== undefined || isRefusal) return []
    const rows = accepted.all(toColumn(runId), lease.token)
    return rows.filter(({ id }) => !queued.includes(id)).map((row) => queuedSignalOf(database, row))
  }

  const keep = (batch: RunBatch): boolean => {
    if (batch.isMixed) return false
    const place = placeOf(batch)
    if (place === undefined) {
      damage.assertNone(batch.runId)
      return false
    }
    const checksumOf = entryChecksums(toColumn(batch.runId))
    for (const [index, entry] of batch.entries.entries()) {
      const seq = place.entries + index
      insert.run(place.run, seq, entry, checksumOf(seq, entry))
      holders.hold(blobRefsIn(entry), { runId: batch.runId })
    }
    if (batch.begins !== undefined) holders.begun({ runId: batch.runId })
    questions.change(place.run, batch.questions)
    if (batch.outcome !== undefined) questions.removeAll(place.run)
    for (const id of batch.queued) removeQueued.run(id, place.run)
    if (batch.spent.length > 0) ledger.spend(batch.runId, batch.spent)
    if (batch.outcome !== undefined) ledger.ended(batch.runId)
    if (batch.outcome !== undefined) claims.release(batch.runId)
    return true
  }

  const changed = (runId: string, seq: number, cause?: unknown): Error =>
    corrupt(database.file, `entry ${seq} of the run "${runId}" is not what was written.`, cause)

  return {
    append(batches: readonly RunBatch[]): AppendReport | undefined {
      const lost: string[] = []
      const answered: QueuedSignal[] = []
      database.write(() => {
        const mayBeAnswered = someAccepted.get() !== undefined
        for (const batch of batches) {
          const before = mayBeAnswered ? answeredBefore(batch) : []
          if (before.length > 0) answered.push(...before)
          else if (!keep(batch)) lost.push(batch.runId)
        }
      })
      return lost.length + answered.length === 0
        ? undefined
        : { lost, ...(answered.length > 0 && { answered }) }
    },
    read(runId: string, from: number): JournalEntry[] | undefined {
      const rows = select.all(from, toColumn(runId))
      const found = entryRows(rows, runId, from, (finding) => corrupt(database.file, finding))
      if (found === undefined) {
        damage.assertUnknown(runId)
        return undefined
      }
      const checksumOf = entryChecksums(toColumn(runId))
      return found.map(({ entry, seq, checksum }) => {
        if (checksum !== checksumOf(seq, entry)) throw changed(runId, seq)
        try {
          return JSON.parse(entry) as JournalEntry
        } catch (error) {
          throw changed(runId, seq, error)
        }
      })
    },
  }
}
