/** The lists of the tables. They read no journal. */
import type { OpenQuestion, RunSummary, StoreListName, StoreLists } from '../../index.ts'
import {
  fromColumn,
  type StoreListReaders,
  Conditions,
  type LapseColumns,
  type RunRow,
  type RunsTable,
  type SortedRow,
  Values,
  expiring,
  expirySql,
  lapseColumns,
  listedBy,
  placeOfRow,
  postgres,
  runsQuery,
  summaryOf,
} from '../../kit/sql/index.ts'
import type { Connections } from '../connection/connections.ts'
import { costOfRun, type Tables } from '../connection/schema.ts'
import { signalsOf } from './queued-signals.ts'
import { settledPage } from './settled-page.ts'

type IndexedRun = RunRow &
  SortedRow & {
    /** A list of texts, each a question as JSON. */
    readonly awaiting: string | null
  }

interface AskedQuestion extends LapseColumns {
  readonly id: number
  readonly question: string
}

export function lists(connections: Connections, tables: Tables) {
  const { runs, questions } = tables
  const { endedRuns, unusedThreads } = expiring(tables)
  const runsTable: RunsTable = {
    dialect: postgres,
    columns: `runs.id::float8 AS id, run_id, agent, conversation_id, thread_id, resource_id, forked_from, nested_in,
      outcome, code, task, entries, started_at, counts_from, updated_at, ended_at, passivated, wake_at, suspended_at,
      expires_at, lapses, lapsed_at, usage::text,
      (SELECT json_agg(questions.question ORDER BY questions.id)::text
       FROM ${questions} AS questions WHERE questions.run = runs.id) AS awaiting`,
    cost: costOfRun,
    from: () => `FROM ${runs} AS runs`,
    unindexed: (column) => column,
  }
  const askedColumns = `SELECT questions.id::float8 AS id, questions.question, ${lapseColumns}
    FROM ${questions} AS questions JOIN ${runs} AS runs ON runs.id = questions.run`

  const expired =
    (of: typeof endedRuns): StoreListReaders['endedRuns'] =>
    async (expiry) => {
      const values = new Values(postgres)
      const found = await connections.query<{ name: string }>(expirySql(of, expiry, values), values.all)
      return { items: found.map(({ name }) => fromColumn(name)) }
    }

  const readers: StoreListReaders = {
    runs: (filter) =>
      settledPage<IndexedRun, RunSummary>(connections, {
        list: 'runs',
        statement: (upTo) => runsQuery(runsTable, filter, upTo),
        isForward: filter.order === undefined || filter.order === 'oldest',
        limit: filter.limit,
        place: (row) => placeOfRow(row, filter),
        item: (row) => summaryOf(row, questionsIn(row.awaiting)),
      }),
    questions: (filter) =>
      settledPage<AskedQuestion, OpenQuestion>(connections, {
        list: 'questions',
        statement(upTo) {
          const conditions = new Conditions(postgres)
            .text('runs.run_id', filter.runId)
            .text('questions.type', filter.type)
            .text('questions.agent', filter.agent)
            .given(filter, 'runs')
            .page('questions', 'questions.id', filter)
          if (upTo !== undefined) conditions.upTo('questions.id', upTo)
          const { sql, values } = conditions.end()
          return { sql: `${askedColumns} ${sql}`, values }
        },
        isForward: filter.order !== 'newest',
        limit: filter.limit,
        place: ({ id }) => ({ position: id }),
        item: (row) => listedBy(row, JSON.parse(row.question) as OpenQuestion),
      }),
    signals: signalsOf(connections, tables),
    endedRuns: expired(endedRuns),
    unusedThreads: expired(unusedThreads),
  }

  return {
    list: (name: StoreListName, filter: StoreLists[StoreListName]['filter']) =>
      readers[name](filter as never),
  }
}

function questionsIn(awaiting: string | null): readonly OpenQuestion[] {
  const texts = awaiting === null ? [] : (JSON.parse(awaiting) as readonly string[])
  return texts.map((question) => JSON.parse(question) as OpenQuestion)
}
