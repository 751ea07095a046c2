/** The index of runs: their summaries, without reading their journals. */
import { ownThread } from '../../runtime/journal/run-summary.ts'
import type { RunFilter, RunSummary } from '../../runtime/journal/store.ts'
import { fromColumn, toColumn } from '../../runtime/journal/column-text.ts'
import type { Database } from '../connection/database.ts'
import { Query } from '../connection/query.ts'
import { isWhole, type RunRow } from './run-checksum.ts'
import { rowDamaged } from './run-damage.ts'

const statusConditions: Record<NonNullable<RunFilter['status']>, string> = {
  running: 'outcome IS NULL AND parked = 0',
  suspended: 'outcome IS NULL AND parked = 1',
  unfinished: 'outcome IS NULL',
  settled: 'outcome IS NOT NULL',
}

/**
 * The thread that a run was given, or `true` for one of its own, from its first entry; a damaged one is reported when the
 * journal is read.
 */
const threadOf = `(SELECT CASE WHEN json_valid(entry) THEN coalesce(entry -> '$.threadId', entry -> '$.remembers') END
  FROM entries WHERE entries.run = runs.id AND entries.seq = 0) AS thread_id`

type IndexedRow = RunRow & { readonly thread_id: string | null }

export function runIndex(database: Database) {
  return {
    /** Oldest first. */
    list({ status, agent, conversationId }: RunFilter): RunSummary[] {
      const conditions: string[] = []
      const values: string[] = []
      if (status !== undefined) conditions.push(statusConditions[status])
      if (agent !== undefined) {
        conditions.push('agent = ?')
        values.push(agent)
      }
      if (conversationId !== undefined) {
        conditions.push('conversation_id = ?')
        values.push(toColumn(conversationId))
      }
      const where = conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`
      const rows = new Query<IndexedRow>(database, `SELECT *, ${threadOf} FROM runs ${where} ORDER BY id`)
      return rows.all(...values).map((row) => {
        if (!isWhole(row)) throw rowDamaged(database, row.run_id)
        return summaryOf(row)
      })
    },
  }
}

function summaryOf(row: IndexedRow): RunSummary {
  const isSettled = row.outcome !== null
  const isPassivated = row.parked === 1
  return {
    runId: fromColumn(row.run_id),
    agent: row.agent,
    startedAt: row.started_at,
    ...(row.conversation_id === null ? {} : { conversationId: fromColumn(row.conversation_id) }),
    ...(row.thread_id === null
      ? {}
      : { threadId: threadIdOf(row, JSON.parse(row.thread_id) as string | true) }),
    ...(row.forked_from === null ? {} : { forkedFrom: fromColumn(row.forked_from) }),
    updatedAt: row.updated_at,
    entries: row.entries,
    status: isSettled ? 'settled' : isPassivated ? 'suspended' : 'running',
    ...(row.outcome === null ? {} : { outcome: row.outcome }),
    ...(isSettled || row.wake_at === null ? {} : { wakeAt: row.wake_at }),
  }
}

function threadIdOf({ run_id, agent }: RunRow, thread: string | true): string {
  return thread === true ? ownThread(fromColumn(run_id), agent) : thread
}
