/** Lists the open questions of runs, from the state of their workflows. */
import { aText, oneOf } from '../../actors/strict/checks.ts'
import { optional, readOptions, type Fields } from '../../actors/strict/read-options.ts'
import { openQuestion, type OpenSignalsData } from '../../runtime/state/signals/open-signals.ts'
import type { OpenQuestion, Page, QuestionFilter } from '../../runtime/journal/run-index.ts'
import { names, type RunFacts } from '../wire/wire.ts'
import { openedState } from '../wire/sealing.ts'
import { hasFacts } from './run-facts.ts'
import { agentOfService, isInNamespace, runIdOf, sqlText, type RestateAdmin } from './admin.ts'
import { cursorOf, pageFields, placeOf } from './cursor.ts'

/** Chooses open questions on Restate. */
export type RestateQuestionFilter = QuestionFilter

const filterFields: Fields<RestateQuestionFilter> = {
  ...pageFields('questions'),
  runId: optional(aText),
  type: optional(oneOf('approval', 'suspension', 'interruption')),
  agent: optional(aText),
  resourceId: optional(aText),
  threadId: optional(aText),
  conversationId: optional(aText),
}

/** Throws a `ConfigurationError`: a misspelt filter must not list all questions. */
export function readRestateQuestions(given: RestateQuestionFilter = {}): RestateQuestionFilter {
  return readOptions<RestateQuestionFilter>(given, 'awaiting', filterFields)
}

interface SignalsRow {
  readonly service_name: string
  readonly service_key: string
  readonly value_utf8: string
}

/** The most runs that one query names; the questions of more are read all at once. */
const mostRuns = 500

/** The open questions of these runs, or of all, oldest first. */
export async function openQuestionsOf(
  admin: RestateAdmin,
  namespace: string,
  runIds?: readonly string[],
  facts: RunFacts = {},
): Promise<readonly OpenQuestion[]> {
  if (runIds?.length === 0) return []
  const ofRuns =
    runIds === undefined || runIds.length > mostRuns
      ? ''
      : `AND split_part(state.service_key, '/', 1) IN (${runIds.map(sqlText).join(', ')})`
  const withFacts = hasFacts("split_part(state.service_key, '/', 1)", { admin, namespace }, facts)
  // A run that was killed keeps its state, and takes no answer.
  const query = `SELECT state.service_name, state.service_key, state.value_utf8 FROM state
    JOIN sys_invocation_status AS run ON run.target_service_name = state.service_name
      AND run.target_service_key = state.service_key
    WHERE state.key = '${names.signals}' AND ${isInNamespace('state.service_name', namespace)} ${ofRuns}
      ${withFacts === undefined ? '' : `AND ${withFacts}`} AND NOT starts_with(state.value_utf8, '{"open":[]')
      AND run.target_handler_name = 'run' AND run.status <> 'completed'`
  const found = await admin.query<SignalsRow>(query)
  const rows = await Promise.all(
    found.map(async (row) => ({ ...row, value_utf8: await openedState(admin.sealing, row.value_utf8) })),
  )
  const wanted = runIds === undefined ? undefined : new Set(runIds)
  return rows
    .flatMap(({ service_name: service, service_key: key, value_utf8: text }) => {
      const runId = runIdOf(key)
      if (agentOfService(service, namespace) === undefined || wanted?.has(runId) === false) return []
      const { open, isClosed } = JSON.parse(text) as OpenSignalsData
      return isClosed ? [] : open.map((signal) => openQuestion(runId, signal))
    })
    .toSorted(inOrder)
}

/** A page of the open questions: those of all runs that ask and fit are read, and then ordered. */
export async function listQuestions(
  admin: RestateAdmin,
  namespace: string,
  { runId, type, agent, limit, before, order, ...facts }: RestateQuestionFilter,
): Promise<Page<OpenQuestion>> {
  const all = await openQuestionsOf(admin, namespace, runId === undefined ? undefined : [runId], facts)
  const ordered = order === 'newest' ? all.toReversed() : all
  const place = before === undefined ? undefined : placeOf('questions', before)
  const sign = order === 'newest' ? -1 : 1
  const found = ordered.filter(
    (question) =>
      (type === undefined || question.type === type) &&
      (agent === undefined || question.agent === agent) &&
      (place === undefined || sign * compare(question, Number(place.at), place.id) > 0),
  )
  const items = found.slice(0, limit)
  const last = items.at(-1)
  return last === undefined || items.length === found.length
    ? { items }
    : { items, next: cursorOf('questions', { at: String(last.since), id: idOf(last) }) }
}

function inOrder(a: OpenQuestion, b: OpenQuestion): number {
  return compare(a, b.since, idOf(b))
}

function compare(question: OpenQuestion, since: number, id: string): number {
  if (question.since !== since) return question.since - since
  return idOf(question) < id ? -1 : idOf(question) > id ? 1 : 0
}

function idOf({ runId, toolCallId }: OpenQuestion): string {
  return `${runId} ${toolCallId}`
}
