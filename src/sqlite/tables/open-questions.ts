/** Lists open questions, of all runs or of some. */
import {
  pageOf,
  positionOf,
  type OpenQuestion,
  type Page,
  type QuestionFilter,
} from '../../runtime/journal/run-index.ts'
import { toColumn } from '../../runtime/journal/column-text.ts'
import { listedQuestion } from '../../runtime/journal/run-summary.ts'
import type { Database } from '../connection/database.ts'
import { parseStored } from '../connection/parse-stored.ts'
import { Queries } from '../connection/queries.ts'
import { lapseFacts, type LapseColumns } from './lapse-facts.ts'
import { sealedQuestion, type QuestionRow } from './question-rows.ts'

const columns = `questions.id, runs.run_id, questions.call, questions.agent, questions.type, questions.resource_id,
  questions.thread_id, questions.conversation_id, questions.question, questions.checksum,
  runs.outcome, runs.entries, runs.expires_at, runs.lapses, runs.lapsed_at`

type ListedRow = QuestionRow & LapseColumns

export function openQuestions(database: Database) {
  const queries = new Queries<ListedRow>(database)
  return {
    awaiting({ limit, before, order, ...filter }: QuestionFilter): Page<OpenQuestion> {
      const conditions: string[] = []
      const values: (string | number)[] = []
      const add = (condition: string, value: string | number | undefined): void => {
        if (value === undefined) return
        conditions.push(condition)
        values.push(value)
      }
      const column = (text: string | undefined): string | undefined =>
        text === undefined ? undefined : toColumn(text)
      add('runs.run_id = ?', column(filter.runId))
      add('questions.type = ?', filter.type)
      add('questions.agent = ?', filter.agent)
      add('questions.resource_id = ?', column(filter.resourceId))
      add('questions.thread_id = ?', column(filter.threadId))
      add('questions.conversation_id = ?', column(filter.conversationId))
      const isForward = order !== 'newest'
      add(
        `questions.id ${isForward ? '>' : '<'} ?`,
        before === undefined ? undefined : positionOf('questions', before),
      )
      const where = conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`
      const sql = `SELECT ${columns} FROM questions CROSS JOIN runs ON runs.id = questions.run ${where}
        ORDER BY questions.id ${isForward ? '' : 'DESC'} LIMIT ?`
      const ofRun = sql.replace('questions CROSS JOIN runs', 'runs CROSS JOIN questions')
      const found = queries
        .of(filter.runId === undefined ? sql : ofRun)
        .all(...values, limit === undefined ? -1 : limit + 1)
      return pageOf('questions', found, limit, {
        item: (row) => questionOf(database, row),
        position: ({ id }) => id,
      })
    },
  }
}

/** The questions of runs, oldest first, by the id of the row of their run. */
export function questionsOfRuns(database: Database) {
  const queries = new Queries<ListedRow & { readonly run: number }>(database)
  return (runs: readonly number[]): ReadonlyMap<number, OpenQuestion[]> => {
    const found = queries
      .of(
        `SELECT ${columns}, questions.run FROM json_each(?) AS asked
         CROSS JOIN questions ON questions.run = asked.value JOIN runs ON runs.id = questions.run
         ORDER BY questions.id`,
      )
      .all(JSON.stringify(runs))
    const byRun = new Map<number, OpenQuestion[]>()
    for (const row of found) {
      const questions = byRun.get(row.run) ?? []
      byRun.set(row.run, questions)
      questions.push(questionOf(database, row))
    }
    return byRun
  }
}

function questionOf(database: Database, row: ListedRow): OpenQuestion {
  const what = `the question "${row.call}" of the run "${row.run_id}"`
  const question = parseStored(database, row.checksum, sealedQuestion(row), what) as OpenQuestion
  return listedQuestion(question, lapseFacts(row))
}
