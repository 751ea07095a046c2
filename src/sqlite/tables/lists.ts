/** The lists of a file. They read no journal. */
import type { OpenQuestion, RunFilter, StoreListName, StoreLists } from '../../index.ts'
import { pageOf } from '../../kit/index.ts'
import {
  fromColumn,
  type StoreListReaders,
  Conditions,
  type LapseColumns,
  Values,
  expiring,
  expirySql,
  lapseColumns,
  listedBy,
  placeOfRow,
  runsQuery,
  sqlite,
  summaryOf,
  type EndedRunsIndex,
  type RunsTable,
  type SortedRow,
} from '../../kit/sql/index.ts'
import type { Database } from '../connection/database.ts'
import { costOfRun } from '../connection/schema.ts'
import { parseStored } from '../connection/parse-stored.ts'
import { Queries } from '../connection/queries.ts'
import { sealedQuestion, type QuestionRow } from './question-rows.ts'
import { signalsOf } from './queued-signals.ts'
import { isWhole, type SealedRun } from './run-checksum.ts'
import { rowDamaged } from './run-damage.ts'

type IndexedRun = SealedRun & SortedRow

/** The index that finds the unfinished runs of a status; no statistics tell SQLite that they are few. */
const statusIndexes: Partial<Record<NonNullable<RunFilter['status']>, string>> = {
  running: 'INDEXED BY unfinished_runs_by_state',
  suspended: 'INDEXED BY unfinished_runs',
  unfinished: 'INDEXED BY unfinished_runs',
}

const endedIndexes: Readonly<Record<EndedRunsIndex, string>> = {
  code: 'ended_runs_by_code',
  changed: 'ended_runs',
  started: 'ended_runs_by_start',
  outcome: 'ended_runs_by_outcome',
  costliest: 'ended_runs_by_cost',
  longest: 'ended_runs_by_duration',
}

const runsTable: RunsTable = {
  dialect: sqlite,
  columns: 'runs.*',
  cost: costOfRun,
  from(part, { status }, index) {
    if (part === 'all') return 'FROM runs'
    if (part === 'unfinished') return `FROM runs ${statusIndexes[status ?? 'unfinished'] ?? ''}`
    return index === undefined ? 'FROM runs' : `FROM runs INDEXED BY ${endedIndexes[index]}`
  },
  unindexed: (column) => `+${column}`,
}

const questionColumns = `questions.id, runs.run_id, questions.call, questions.agent, questions.type, questions.since,
  questions.resource_id, questions.thread_id, questions.conversation_id, questions.question, questions.checksum,
  ${lapseColumns}`

type AskedQuestion = QuestionRow & LapseColumns

const { endedRuns, unusedThreads } = expiring({ runs: 'runs', threads: 'threads' })

export function lists(database: Database) {
  const runs = new Queries<IndexedRun>(database)
  const questions = new Queries<AskedQuestion>(database)
  const names = new Queries<{ readonly name: string }>(database)
  const questionsOf = questionsOfRuns(database)
  const signals = signalsOf(database)

  const expired =
    (of: typeof endedRuns): StoreListReaders['endedRuns'] =>
    (expiry) => {
      const values = new Values(sqlite)
      const found = names.of(expirySql(of, expiry, values)).all(...values.all)
      return { items: found.map(({ name }) => fromColumn(name)) }
    }

  const readers: StoreListReaders = {
    runs: (filter) =>
      database.atOnce(() => {
        const { sql, values } = runsQuery(runsTable, filter)
        const rows = runs.of(sql).all(...values)
        for (const row of rows) if (!isWhole(row)) throw rowDamaged(database, row.run_id)
        const asked = questionsOf(rows.map(({ id }) => id))
        return pageOf('runs', rows, filter.limit, {
          item: (row) => summaryOf(row, asked.get(row.id) ?? []),
          place: (row) => placeOfRow(row, filter),
        })
      }),
    questions(filter) {
      const { sql, values } = new Conditions(sqlite)
        .text('runs.run_id', filter.runId)
        .text('questions.type', filter.type)
        .text('questions.agent', filter.agent)
        .given(filter, 'questions')
        .page('questions', 'questions.id', filter)
        .end()
      // The first table is the one that SQLite reads first.
      const tables = filter.runId === undefined ? 'questions CROSS JOIN runs' : 'runs CROSS JOIN questions'
      const found = questions
        .of(`SELECT ${questionColumns} FROM ${tables} ON runs.id = questions.run ${sql}`)
        .all(...values)
      return pageOf('questions', found, filter.limit, {
        item: (row) => listedBy(row, questionOf(database, row)),
        place: ({ id }) => ({ position: id }),
      })
    },
    signals,
    endedRuns: expired(endedRuns),
    unusedThreads: expired(unusedThreads),
  }

  return {
    list: (name: StoreListName, filter: StoreLists[StoreListName]['filter']) =>
      readers[name](filter as never),
  }
}

/** The questions of runs, oldest first, by the id of the row of their run. */
function questionsOfRuns(database: Database) {
  const queries = new Queries<QuestionRow & { readonly run: number }>(database)
  return (runs: readonly number[]): ReadonlyMap<number, OpenQuestion[]> => {
    const found = queries
      .of(
        `SELECT ${questionColumns}, questions.run FROM json_each(?) AS asked
         CROSS JOIN questions ON questions.run = asked.value JOIN runs ON runs.id = questions.run
         ORDER BY questions.id`,
      )
      .all(JSON.stringify(runs))
    const byRun = new Map<number, OpenQuestion[]>()
    for (const row of found) {
      const asked = byRun.get(row.run) ?? []
      byRun.set(row.run, asked)
      asked.push(questionOf(database, row))
    }
    return byRun
  }
}

function questionOf(database: Database, row: QuestionRow): OpenQuestion {
  const what = `the question "${row.call}" of the run "${row.run_id}"`
  return parseStored(database, row.checksum, sealedQuestion(row), what) as OpenQuestion
}
