/** The choice of a completion, or of a chunk of a stream: its message and its delta have the same fields. */
import { isRecord } from '../../values/json.ts'
import { citing, readCitations } from '../shared/citations.ts'
import { readCallFields, readReasoning } from './kept-fields.ts'
import { readArguments, readIndex, readText, type CallPart, type Part } from '../shared/part.ts'

/** The first choice of a completion or of a chunk; `undefined` where there is none. */
export function firstChoice(body: Record<string, unknown>): Record<string, unknown> | undefined {
  const { choices } = body
  if (!Array.isArray(choices)) return undefined
  return choices.filter(isRecord).find((choice) => (choice['index'] ?? 0) === 0)
}

export function readPart(value: unknown): Part {
  const message = isRecord(value) ? value : {}
  const calls = message['tool_calls']
  return {
    text: readText(message['content']),
    reasoning: readReasoning(message)?.text ?? '',
    refusal: readText(message['refusal']),
    calls: Array.isArray(calls) ? calls.filter(isRecord).map(readCall) : [],
    ...citing(readCitations(message['annotations'])),
  }
}

/** Absent, null and empty are the same: some servers send '' where there is no finish reason yet. */
export function readFinishReason(choice: Record<string, unknown>): string | undefined {
  return readText(choice['finish_reason']) || undefined
}

function readCall(call: Record<string, unknown>): CallPart {
  const called = isRecord(call['function']) ? call['function'] : {}
  const data = readCallFields(call)
  return {
    index: readIndex(call['index']),
    id: readText(call['id']),
    name: readText(called['name']),
    args: readArguments(called['arguments']),
    ...(data === undefined ? {} : { data }),
  }
}
