/** The index of runs: their summaries, without reading their journals. */
import { fromColumn, toColumn } from '../../runtime/journal/column-text.ts'
import type { RunFilter, RunSummary } from '../../runtime/journal/store.ts'
import type { Connections } from '../connection/connections.ts'
import type { Tables } from '../connection/schema.ts'

interface RunRow {
  readonly run_id: string
  readonly agent: string
  readonly conversation_id: string | null
  readonly thread_id: string | null
  readonly forked_from: string | null
  readonly outcome: string | null
  readonly entries: number
  readonly started_at: number
  readonly updated_at: number
  readonly passivated: boolean
  readonly wake_at: number | null
}

const statusConditions: Record<NonNullable<RunFilter['status']>, string> = {
  running: 'outcome IS NULL AND NOT passivated',
  suspended: 'outcome IS NULL AND passivated',
  unfinished: 'outcome IS NULL',
  settled: 'outcome IS NOT NULL',
}

export function runIndex(connections: Connections, { runs }: Tables) {
  return {
    /** Oldest first. */
    async list({ status, agent, conversationId }: RunFilter): Promise<RunSummary[]> {
      const values: string[] = []
      const conditions = status === undefined ? [] : [statusConditions[status]]
      const add = (column: string, value: string | undefined): void => {
        if (value === undefined) return
        values.push(toColumn(value))
        conditions.push(`${column} = $${values.length}::text`)
      }
      add('agent', agent)
      add('conversation_id', conversationId)
      const where = conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`
      const rows = await connections.query<RunRow>(
        `SELECT run_id, agent, conversation_id, thread_id, forked_from, outcome, entries, started_at, updated_at,
           passivated, wake_at FROM ${runs} ${where} ORDER BY id`,
        values,
      )
      return rows.map(summaryOf)
    },
  }
}

function summaryOf(row: RunRow): RunSummary {
  const isSettled = row.outcome !== null
  return {
    runId: fromColumn(row.run_id),
    agent: fromColumn(row.agent),
    startedAt: row.started_at,
    ...(row.conversation_id === null ? {} : { conversationId: fromColumn(row.conversation_id) }),
    ...(row.thread_id === null ? {} : { threadId: fromColumn(row.thread_id) }),
    ...(row.forked_from === null ? {} : { forkedFrom: fromColumn(row.forked_from) }),
    updatedAt: row.updated_at,
    entries: row.entries,
    status: isSettled ? 'settled' : row.passivated ? 'suspended' : 'running',
    ...(row.outcome === null ? {} : { outcome: row.outcome }),
    ...(isSettled || row.wake_at === null ? {} : { wakeAt: row.wake_at }),
  }
}
