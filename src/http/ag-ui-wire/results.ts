/** Results of calls that the page has performed, as messages at the end of its conversation. */
import type { JsonValue, RunEvent, RunSignal, SignalError } from '../../index.ts'
import { RefusedRequest, mostAnswers, tooMany, wrongRequest } from '../../kit/wire/index.ts'
import type { Access, ServedRun } from '../access/authorize.ts'

type Fields = Readonly<Record<string, unknown>>

/** The result of a call, by the ids that the stream has given it. */
export interface CallResult {
  readonly runId: string
  /** In the run; a call that was written again has its number behind it. */
  readonly toolCallId: string
  readonly result: { readonly data: JsonValue } | { readonly error: string }
}

/** The messages of tools at the end. Those of a server are among them. Throws a `RefusedRequest`. */
export function resultsOf(messages: readonly Fields[]): readonly CallResult[] {
  const before = messages.findLastIndex(({ role }) => role !== 'tool')
  const results = messages.slice(before + 1)
  if (results.length > mostAnswers) throw tooMany('The request', 'results', mostAnswers)
  return results.map(resultOf)
}

function resultOf({ toolCallId, content, error }: Fields): CallResult {
  const [, runId, call] = /^([^:]+):(.+)$/s.exec(typeof toolCallId === 'string' ? toolCallId : '') ?? []
  if (runId === undefined || call === undefined) {
    throw wrongRequest('The toolCallId of a message is not one of this server.')
  }
  if (typeof error === 'string') return { runId, toolCallId: call, result: { error } }
  if (content === undefined) throw wrongRequest('A message of a tool must have its content.')
  return { runId, toolCallId: call, result: { data: content as JsonValue } }
}

/** Throws a `RefusedRequest`. */
export function assertOfOneRun(answers: readonly { readonly runId: string }[]): void {
  if (new Set(answers.map(({ runId }) => runId)).size <= 1) return
  throw wrongRequest('A request must answer the questions of one run.')
}

/** The answers among the results: of calls that wait for one. */
export function signalsOf(
  results: readonly CallResult[],
  { awaiting }: ServedRun,
  { by }: Access,
): readonly RunSignal[] {
  return results.flatMap((given): readonly RunSignal[] => {
    const { result } = given
    const question = awaiting.find(
      ({ toolCallId, type }) => type === 'suspension' && isOfCall(given, toolCallId),
    )
    if (question === undefined) return []
    const { toolCallId } = question
    const signed = by === undefined ? {} : { by }
    return 'error' in result
      ? [{ type: 'deny', toolCallId, reason: result.error, ...signed }]
      : [{ type: 'resume', toolCallId, data: result.data, ...signed }]
  })
}

/** Whether it is the result of a call of the run. */
export function isOfCall({ toolCallId: id }: CallResult, toolCallId: string): boolean {
  return id === toolCallId || (id.startsWith(`${toolCallId}#`) && /^#\d+$/.test(id.slice(toolCallId.length)))
}

/**
 * The events from the first answer to one of these calls on: the page has seen what was before. Throws a `RefusedRequest` where
 * the run has ended and none was answered.
 */
export async function* fromAnswer(
  events: AsyncIterable<RunEvent>,
  results: readonly CallResult[],
  take: (event: RunEvent) => void,
): AsyncGenerator<RunEvent, void> {
  let isFound = false
  for await (const event of events) {
    take(event)
    isFound ||=
      event.type === 'tool-call-answered' &&
      results.some((result) => isOfCall(result, event.payload.toolCallId))
    if (isFound) yield event
    else if (event.type === 'run-finish') throw tooLate()
  }
}

/** No call of the run waits for the results. */
function tooLate(): RefusedRequest {
  const code: SignalError['code'] = 'SIGNAL_TOO_LATE'
  return new RefusedRequest(409, code, 'The run has ended without an answer to this call.')
}
