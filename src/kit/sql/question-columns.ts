/** The changes of the open questions of one run, as one change. */
import { toColumn } from './column-text.ts'
import type { OpenQuestion, QuestionChange } from '../../runtime/journal/run-index.ts'

/** The columns of a statement that changes questions. Calls are as columns hold them. */
export interface QuestionColumns {
  /** Whether all questions are removed but those that are set. */
  readonly closes_others: boolean
  readonly closed: readonly string[]
  readonly opened: readonly {
    readonly call: string
    readonly agent: string
    readonly type: string
    readonly since: number
    readonly question: string
  }[]
}

/** The changes of the open questions of one run, in their order, as one statement makes them. */
export function questionColumns(changes: readonly QuestionChange[]): QuestionColumns {
  let closesOthers = false
  const closed = new Set<string>()
  const opened = new Map<string, OpenQuestion>()
  for (const change of changes) {
    const stays = new Set(change.opened.map(({ toolCallId }) => toolCallId))
    if (change.closed === 'others') closesOthers = true
    const gone =
      change.closed === 'others' ? [...opened.keys()].filter((id) => !stays.has(id)) : change.closed
    for (const id of gone) {
      opened.delete(id)
      closed.add(id)
    }
    for (const question of change.opened) {
      opened.set(question.toolCallId, question)
      closed.delete(question.toolCallId)
    }
  }
  return {
    closes_others: closesOthers,
    closed: Array.from(closed, toColumn),
    opened: Array.from(opened.values(), (question) => ({
      call: toColumn(question.toolCallId),
      agent: toColumn(question.agent),
      type: question.type,
      since: question.since,
      question: JSON.stringify(question),
    })),
  }
}
