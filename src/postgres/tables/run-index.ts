/** The index of runs: their summaries, without reading their journals. */
import { noUsage, type Usage } from '../../actors/usage.ts'
import { fromColumn } from '../../runtime/journal/column-text.ts'
import type { Page, RunFilter, RunSummary } from '../../runtime/journal/run-index.ts'
import { leftOf, statusOf } from '../../runtime/journal/run-summary.ts'
import type { Connections } from '../connection/connections.ts'
import type { Tables } from '../connection/schema.ts'
import { Conditions } from './conditions.ts'
import { lapseFacts, questionOf, type LapseColumns } from './listed-question.ts'
import { settledPage } from './settled-page.ts'

interface RunRow extends LapseColumns {
  readonly id: number
  readonly run_id: string
  readonly agent: string
  readonly conversation_id: string | null
  readonly thread_id: string | null
  readonly resource_id: string | null
  readonly forked_from: string | null
  readonly started_at: number
  readonly updated_at: number
  readonly passivated: boolean
  readonly wake_at: number | null
  readonly suspended_at: number | null
  /** JSON. */
  readonly usage: string | null
  /** A list of texts, each a question as JSON. */
  readonly awaiting: string | null
}

const statusConditions: Record<NonNullable<RunFilter['status']>, string> = {
  running: 'outcome IS NULL AND NOT passivated AND suspended_at IS DISTINCT FROM entries',
  suspended: 'outcome IS NULL AND (passivated OR suspended_at = entries)',
  unfinished: 'outcome IS NULL',
  settled: 'outcome IS NOT NULL',
}

export function runIndex(connections: Connections, { runs, questions }: Tables) {
  return {
    async list({ status, limit, before, order, ...filter }: RunFilter): Promise<Page<RunSummary>> {
      const conditions = new Conditions()
      if (status !== undefined) conditions.add(statusConditions[status])
      conditions.text('runs.run_id', filter.runId)
      conditions.text('runs.agent', filter.agent)
      conditions.text('runs.resource_id', filter.resourceId)
      conditions.text('runs.thread_id', filter.threadId)
      conditions.text('runs.conversation_id', filter.conversationId)
      return settledPage<RunRow, RunSummary>(connections, {
        list: 'runs',
        select: `SELECT runs.id::float8 AS id, run_id, agent, conversation_id, thread_id, resource_id, forked_from,
            outcome, entries, started_at, updated_at, passivated, wake_at, suspended_at, expires_at, lapses,
            lapsed_at, usage::text,
            (SELECT json_agg(questions.question ORDER BY questions.id)::text
             FROM ${questions} AS questions WHERE questions.run = runs.id) AS awaiting
          FROM ${runs} AS runs`,
        number: 'runs.id',
        conditions,
        options: { limit, before, order },
        item: summaryOf,
      })
    },
  }
}

function summaryOf(row: RunRow): RunSummary {
  const isSettled = row.outcome !== null
  const awaiting = row.awaiting === null ? [] : (JSON.parse(row.awaiting) as readonly string[])
  return {
    runId: fromColumn(row.run_id),
    agent: fromColumn(row.agent),
    startedAt: row.started_at,
    ...(row.conversation_id === null ? {} : { conversationId: fromColumn(row.conversation_id) }),
    ...(row.thread_id === null ? {} : { threadId: fromColumn(row.thread_id) }),
    ...(row.resource_id === null ? {} : { resourceId: fromColumn(row.resource_id) }),
    ...(row.forked_from === null ? {} : { forkedFrom: fromColumn(row.forked_from) }),
    updatedAt: row.updated_at,
    entries: row.entries,
    usage: row.usage === null ? noUsage : (JSON.parse(row.usage) as Usage),
    ...statusOf({
      isSettled,
      isPassivated: row.passivated,
      entries: row.entries,
      suspendedAt: row.suspended_at,
    }),
    ...leftOf(lapseFacts(row)),
    ...(row.outcome === null ? {} : { outcome: row.outcome }),
    ...(isSettled || row.wake_at === null ? {} : { wakeAt: row.wake_at }),
    awaiting: awaiting.map((question) => questionOf(question, row)),
  }
}
