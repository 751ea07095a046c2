/** The census of a store in SQL: one statement over the unfinished runs and the open questions. */
import { overdue, questionAges, type Census, type CensusOptions } from '../../runtime/journal/census.ts'
import { lapsesUntilLeft } from '../../runtime/journal/store.ts'
import type { Values } from './conditions.ts'
import { lapsesInRow } from './run-row.ts'

/** The row of a census. */
export interface CensusRow {
  readonly running: number
  readonly suspended: number
  readonly passivated: number
  readonly leased: number
  readonly unowned: number
  readonly unowned_since: number | null
  readonly left_runs: number
  readonly alarms: number
  readonly alarms_since: number | null
  readonly questions: number
  readonly questions_since: number | null
  readonly within_minute: number
  readonly within_hour: number
  readonly within_day: number
  readonly settled: number | null
}

/** The names of the tables. `runs` may say by which index the unfinished runs are found. */
export interface CensusTables {
  readonly runs: string
  readonly unfinished: string
  readonly questions: string
}

/** Both databases read `float8` as a number. */
const count = (condition?: string): string =>
  `CAST(count(*)${condition === undefined ? '' : ` FILTER (WHERE ${condition})`} AS float8)`

/** The statement. Its row is a `CensusRow`. */
export function censusSql(
  { runs, unfinished, questions }: CensusTables,
  { now, settled = false }: CensusOptions,
  values: Values,
): string {
  const at = (time: number): string => values.add(time, 'float8')
  const isSuspended = 'passivated = true OR coalesce(suspended_at = entries, false)'
  const isLeft = `${lapsesInRow} >= ${lapsesUntilLeft}`
  const isUnowned = 'is_live AND is_over AND NOT is_left'
  // Values are numbered in the order of the text.
  const facts = `SELECT passivated = true AS is_passivated, passivated = false AS is_live,
      (${isSuspended}) AS is_suspended, expires_at <= ${at(now)} AS is_over, (${isLeft}) AS is_left,
      coalesce(passivated = true AND wake_at <= ${at(now)}, false) AS is_due, wake_at,
      CASE WHEN expires_at > 0 THEN expires_at ELSE updated_at END AS free_since
    FROM ${unfinished} WHERE outcome IS NULL`
  const counted = `SELECT ${count('NOT is_suspended')} AS running, ${count('is_suspended')} AS suspended,
      ${count('is_passivated')} AS passivated, ${count('is_live AND NOT is_over')} AS leased,
      ${count(isUnowned)} AS unowned, min(free_since) FILTER (WHERE ${isUnowned}) AS unowned_since,
      ${count('is_live AND is_over AND is_left')} AS left_runs,
      ${count('is_due')} AS alarms, min(wake_at) FILTER (WHERE is_due) AS alarms_since
    FROM (${facts}) AS facts`
  const asked = `SELECT ${count()} AS questions, min(since) AS questions_since,
      ${count(`since > ${at(now - questionAges[0])}`)} AS within_minute,
      ${count(`since > ${at(now - questionAges[1])}`)} AS within_hour,
      ${count(`since > ${at(now - questionAges[2])}`)} AS within_day
    FROM ${questions}`
  const ended = settled ? `(SELECT ${count()} FROM ${runs} WHERE outcome IS NOT NULL)` : 'null'
  return `SELECT counted.*, asked.*, ${ended} AS settled FROM (${counted}) AS counted CROSS JOIN (${asked}) AS asked`
}

/** The census in the row of the statement. */
export function censusIn(row: CensusRow): Census {
  const { running, suspended, passivated, leased, settled, within_minute, within_hour, within_day } = row
  return {
    running,
    suspended,
    passivated,
    leased,
    unowned: overdue(row.unowned, row.unowned_since),
    left: row.left_runs,
    alarms: overdue(row.alarms, row.alarms_since),
    questions: {
      ...overdue(row.questions, row.questions_since),
      byAge: {
        minute: within_minute,
        hour: within_hour - within_minute,
        day: within_day - within_hour,
        older: row.questions - within_day,
      },
    },
    ...(settled === null ? {} : { settled }),
  }
}
