/** Lists the open questions of runs. */
import type { OpenQuestion, Page, QuestionFilter } from '../../runtime/journal/run-index.ts'
import type { Connections } from '../connection/connections.ts'
import type { Tables } from '../connection/schema.ts'
import { Conditions } from './conditions.ts'
import { questionOf, type LapseColumns } from './listed-question.ts'
import { settledPage } from './settled-page.ts'

interface QuestionRow extends LapseColumns {
  readonly id: number
  readonly question: string
}

export function openQuestions(connections: Connections, { runs, questions }: Tables) {
  return {
    async awaiting({ limit, before, order, ...filter }: QuestionFilter): Promise<Page<OpenQuestion>> {
      const conditions = new Conditions()
      conditions.text('runs.run_id', filter.runId)
      conditions.text('questions.type', filter.type)
      conditions.text('questions.agent', filter.agent)
      conditions.text('runs.resource_id', filter.resourceId)
      conditions.text('runs.thread_id', filter.threadId)
      conditions.text('runs.conversation_id', filter.conversationId)
      return settledPage<QuestionRow, OpenQuestion>(connections, {
        list: 'questions',
        select: `SELECT questions.id::float8 AS id, questions.question, runs.outcome, runs.entries, runs.expires_at,
            runs.lapses, runs.lapsed_at
          FROM ${questions} AS questions JOIN ${runs} AS runs ON runs.id = questions.run`,
        number: 'questions.id',
        conditions,
        options: { limit, before, order },
        item: (row) => questionOf(row.question, row),
      })
    },
  }
}
