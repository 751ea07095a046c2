/** Lists the open questions of runs. */
import type { OpenQuestion, Page, QuestionFilter } from '../../runtime/journal/run-index.ts'
import type { Connections } from '../connection/connections.ts'
import type { Tables } from '../connection/schema.ts'
import { Conditions } from './conditions.ts'
import { settledPage } from './settled-page.ts'

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
      return settledPage<{ id: number; question: string }, OpenQuestion>(connections, {
        list: 'questions',
        select: `SELECT questions.id::float8 AS id, questions.question
          FROM ${questions} AS questions JOIN ${runs} AS runs ON runs.id = questions.run`,
        number: 'questions.id',
        conditions,
        options: { limit, before, order },
        item: ({ question }) => JSON.parse(question) as OpenQuestion,
      })
    },
  }
}
