/**
 * What a message of a completion, or a delta of a stream, holds: they have the same fields. Servers differ and are
 * not trusted, so whatever is not of the expected type counts as absent.
 */
import { isRecord } from '../json.ts'

export interface Part {
  readonly text: string
  readonly reasoning: string
  readonly refusal: string
  readonly calls: readonly CallPart[]
}

export interface CallPart {
  readonly index: number | undefined
  readonly id: string
  readonly name: string
  /** JSON as text, in a stream a piece of it. */
  readonly args: string
}

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
    reasoning: readText(message['reasoning_content']) || readText(message['reasoning']),
    refusal: readText(message['refusal']),
    calls: Array.isArray(calls) ? calls.filter(isRecord).map(readCall) : [],
  }
}

/** Absent, null and empty are the same: some servers send '' where there is no finish reason yet. */
export function readFinishReason(choice: Record<string, unknown>): string | undefined {
  return readText(choice['finish_reason']) || undefined
}

function readCall(call: Record<string, unknown>): CallPart {
  const { index } = call
  const called = isRecord(call['function']) ? call['function'] : {}
  const args = called['arguments']
  return {
    index: typeof index === 'number' && Number.isInteger(index) ? index : undefined,
    id: readText(call['id']),
    name: readText(called['name']),
    // some servers send the arguments as an object, not as its text
    args: typeof args === 'object' && args !== null ? JSON.stringify(args) : readText(args),
  }
}

/** A text, or the text parts of a list (Mistral). */
function readText(value: unknown): string {
  if (typeof value === 'string') return value
  if (!Array.isArray(value)) return ''
  return value
    .map((item) => (isRecord(item) && typeof item['text'] === 'string' ? item['text'] : ''))
    .join('')
}
