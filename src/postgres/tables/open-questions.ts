/** Lists the open questions of runs. */
import { pageOf, type OpenQuestion, type Page, type QuestionFilter } from '../../runtime/journal/run-index.ts'
import type { Connections } from '../connection/connections.ts'
import type { Tables } from '../connection/schema.ts'
import { Conditions } from './conditions.ts'

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
      const page = conditions.page('questions', 'questions.id', { limit, before, order })
      const rows = await connections.query<{ id: number; question: string }>(
        `SELECT questions.id::float8 AS id, questions.question
         FROM ${questions} AS questions JOIN ${runs} AS runs ON runs.id = questions.run ${page}`,
        conditions.values,
      )
      return pageOf('questions', rows, limit, {
        item: ({ question }) => JSON.parse(question) as OpenQuestion,
        position: ({ id }) => id,
      })
    },
  }
}
