/** The index of runs: their summaries, without reading their journals. */
import {
  pageOf,
  positionOf,
  type OpenQuestion,
  type Page,
  type RunFilter,
  type RunSummary,
} from '../../runtime/journal/run-index.ts'
import { leftOf, statusOf } from '../../runtime/journal/run-summary.ts'
import { fromColumn, toColumn } from '../../runtime/journal/column-text.ts'
import type { Database } from '../connection/database.ts'
import { Queries } from '../connection/queries.ts'
import { usageIn } from '../connection/usage-function.ts'
import { questionsOfRuns } from './open-questions.ts'
import { isWhole, type RunRow } from './run-checksum.ts'
import { rowDamaged } from './run-damage.ts'

type IndexedRow = RunRow & { readonly id: number }

const statusConditions: Record<NonNullable<RunFilter['status']>, string> = {
  running: 'outcome IS NULL AND passivated = 0 AND suspended_at IS NOT entries',
  suspended: 'outcome IS NULL AND (passivated = 1 OR suspended_at = entries)',
  unfinished: 'outcome IS NULL',
  settled: 'outcome IS NOT NULL',
}

/** The index that finds the unfinished runs of a status; no statistics tell SQLite that they are few. */
const statusIndexes: Partial<Record<NonNullable<RunFilter['status']>, string>> = {
  running: 'INDEXED BY unfinished_runs_by_state',
  suspended: 'INDEXED BY unfinished_runs',
  unfinished: 'INDEXED BY unfinished_runs',
}

export function runIndex(database: Database) {
  const queries = new Queries<IndexedRow>(database)
  const questionsOf = questionsOfRuns(database)

  const rowsOf = ({ status, agent, limit, before, order, ...filter }: RunFilter): IndexedRow[] => {
    const conditions: string[] = []
    const values: (string | number)[] = []
    const add = (condition: string, value: string | number): void => {
      conditions.push(condition)
      values.push(value)
    }
    const { runId, resourceId, threadId, conversationId } = filter
    if (runId !== undefined) add('run_id = ?', toColumn(runId))
    if (resourceId !== undefined) add('resource_id = ?', toColumn(resourceId))
    if (threadId !== undefined) add('thread_id = ?', toColumn(threadId))
    if (conversationId !== undefined) add('conversation_id = ?', toColumn(conversationId))
    const index = values.length > 0 || status === undefined ? '' : (statusIndexes[status] ?? '')
    if (status !== undefined) conditions.push(statusConditions[status])
    // A unary plus: the index of agents is the last choice.
    if (agent !== undefined) add(`${values.length > 0 ? '+' : ''}agent = ?`, agent)
    const isForward = order !== 'newest'
    if (before !== undefined) add(`id ${isForward ? '>' : '<'} ?`, positionOf('runs', before))
    const where = conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`
    const direction = isForward ? '' : 'DESC'
    return queries
      .of(`SELECT * FROM runs ${index} ${where} ORDER BY id ${direction} LIMIT ?`)
      .all(...values, limit === undefined ? -1 : limit + 1)
  }

  return {
    list(filter: RunFilter): Page<RunSummary> {
      return database.atOnce(() => {
        const rows = rowsOf(filter)
        for (const row of rows) if (!isWhole(row)) throw rowDamaged(database, row.run_id)
        const questions = questionsOf(rows.map(({ id }) => id))
        return pageOf('runs', rows, filter.limit, {
          item: (row) => summaryOf(row, questions.get(row.id) ?? []),
          position: ({ id }) => id,
        })
      })
    },
  }
}

function summaryOf(row: IndexedRow, awaiting: readonly OpenQuestion[]): RunSummary {
  const isSettled = row.outcome !== null
  return {
    runId: fromColumn(row.run_id),
    agent: row.agent,
    startedAt: row.started_at,
    ...(row.conversation_id === null ? {} : { conversationId: fromColumn(row.conversation_id) }),
    ...(row.thread_id === null ? {} : { threadId: fromColumn(row.thread_id) }),
    ...(row.resource_id === null ? {} : { resourceId: fromColumn(row.resource_id) }),
    ...(row.forked_from === null ? {} : { forkedFrom: fromColumn(row.forked_from) }),
    updatedAt: row.updated_at,
    entries: row.entries,
    usage: usageIn(row.usage),
    ...statusOf({
      isSettled,
      isPassivated: row.passivated === 1,
      entries: row.entries,
      suspendedAt: row.suspended_at,
    }),
    ...leftOf({
      isSettled,
      entries: row.entries,
      expiresAt: row.expires_at,
      lapses: row.lapses,
      lapsedAt: row.lapsed_at,
    }),
    ...(row.outcome === null ? {} : { outcome: row.outcome }),
    ...(isSettled || row.wake_at === null ? {} : { wakeAt: row.wake_at }),
    awaiting,
  }
}
