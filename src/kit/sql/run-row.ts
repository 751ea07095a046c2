/** A run as a row of SQL: its columns, and the facts that follow from them. */
import { noUsage, type Usage } from '../../actors/usage.ts'
import { fromColumn } from './column-text.ts'
import type { OpenQuestion, RunSummary } from '../../runtime/journal/run-index.ts'
import {
  leftOf,
  listedQuestion,
  statusOf,
  timesOf,
  type LapseFacts,
} from '../../runtime/journal/run-summary.ts'
import { lapsesUntilLeft } from '../../runtime/journal/store.ts'

/** The columns of a summary. */
export interface RunRow {
  readonly run_id: string
  readonly agent: string
  readonly conversation_id: string | null
  readonly thread_id: string | null
  readonly resource_id: string | null
  readonly forked_from: string | null
  readonly nested_in: string | null
  readonly outcome: string | null
  /** The code of the error that ended it. */
  readonly code: string | null
  readonly task: string | null
  /** The time from which its duration counts. */
  readonly counts_from: number
  readonly ended_at: number | null
  readonly entries: number
  readonly started_at: number
  readonly updated_at: number
  /** SQLite: 0 or 1. */
  readonly passivated: boolean | number
  readonly wake_at: number | null
  /** The number of entries with which the run was suspended last. */
  readonly suspended_at: number | null
  readonly expires_at: number
  /** The lapses by the newest claim, and the number of entries at that claim. */
  readonly lapses: number
  readonly lapsed_at: number
  /** JSON. NULL: no model call has ended. */
  readonly usage: string | null
}

/** The lapses in a row: none since an entry, and none since a release. */
export const lapsesInRow = 'CASE WHEN lapsed_at = entries AND expires_at > 0 THEN lapses ELSE 0 END'

/** The lapses with a claim by an owner. */
export function lapsesWithClaim(owner: string): string {
  return `${lapsesInRow} + CASE WHEN owner <> ${owner} AND expires_at > 0 THEN 1 ELSE 0 END`
}

/** Whether the run is left by all but an owner. */
export function isLeftBy(owner: string): string {
  return `(owner <> ${owner} AND outcome IS NULL AND ${lapsesInRow} >= ${lapsesUntilLeft})`
}

/** The columns of a run from which it follows whether it is left. */
export type LapseColumns = Pick<RunRow, 'outcome' | 'entries' | 'expires_at' | 'lapses' | 'lapsed_at'>

/** The list of `LapseColumns`, for a statement. */
export const lapseColumns = 'runs.outcome, runs.entries, runs.expires_at, runs.lapses, runs.lapsed_at'

/** A question of the run, as lists have it. */
export function listedBy(row: LapseColumns, question: OpenQuestion): OpenQuestion {
  return listedQuestion(question, lapseFacts(row))
}

function lapseFacts({ outcome, entries, expires_at, lapses, lapsed_at }: LapseColumns): LapseFacts {
  return { isSettled: outcome !== null, entries, expiresAt: expires_at, lapses, lapsedAt: lapsed_at }
}

/** The usage in a column; no usage for NULL. */
export function usageIn(column: string | null): Usage {
  return column === null ? noUsage : (JSON.parse(column) as Usage)
}

/** The run as lists have it. `awaiting`: its open questions. */
export function summaryOf(row: RunRow, awaiting: readonly OpenQuestion[]): RunSummary {
  const isSettled = row.outcome !== null
  return {
    runId: fromColumn(row.run_id),
    agent: fromColumn(row.agent),
    startedAt: row.started_at,
    ...(row.conversation_id === null ? {} : { conversationId: fromColumn(row.conversation_id) }),
    ...(row.thread_id === null ? {} : { threadId: fromColumn(row.thread_id) }),
    ...(row.resource_id === null ? {} : { resourceId: fromColumn(row.resource_id) }),
    ...(row.forked_from === null ? {} : { forkedFrom: fromColumn(row.forked_from) }),
    ...(row.nested_in === null ? {} : { nestedIn: fromColumn(row.nested_in) }),
    ...(row.task === null ? {} : { task: fromColumn(row.task) }),
    ...timesOf(row.counts_from, row.updated_at, row.ended_at ?? undefined),
    entries: row.entries,
    usage: usageIn(row.usage),
    ...statusOf({
      isSettled,
      isPassivated: Boolean(row.passivated),
      entries: row.entries,
      suspendedAt: row.suspended_at,
    }),
    ...leftOf(lapseFacts(row)),
    ...(row.outcome === null ? {} : { outcome: row.outcome }),
    ...(row.code === null ? {} : { code: fromColumn(row.code) }),
    ...(isSettled || row.wake_at === null ? {} : { wakeAt: row.wake_at }),
    awaiting: awaiting.map((question) => listedBy(row, question)),
  }
}
