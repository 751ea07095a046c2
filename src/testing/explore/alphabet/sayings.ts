/** The replies that a model may give in an exploration, and the outcomes that tools and functions may have. */
import type { FinishReason } from '../../../actors/chat-model.ts'
import type { Settlement } from '../../../actors/effects/effect.ts'
import type { EffectOutcome } from '../../../actors/effects/effect-kinds.ts'
import type { JsonValue } from '../../../actors/values/json.ts'
import { TerminalError, toErrorData, type ErrorData } from '../../../errors.ts'
import { keptResult } from '../../../runtime/files/kept-content.ts'

/** Arguments by name: a text is a prompt for a subagent; an object is given to a tool, a subagent or a handoff as it is. */
export type CallsByName = Readonly<Record<string, JsonValue>>

/** A reply of a model. Made by `answers`, `calls`, `decides` and `fails`. */
export type ModelSaying =
  | {
      readonly says: 'reply'
      readonly name: string
      readonly text: string
      readonly calls: readonly CallsByName[]
      readonly finishReason: FinishReason
      /** The name of the response format that it is given to; absent: to every request. */
      readonly format?: string
    }
  | { readonly says: 'error'; readonly name: string; readonly error: ErrorData; readonly format?: undefined }

/** An outcome of a tool. Made by `returns`, `throws`, `suspends` and `sleeps`. */
export type ToolSaying =
  | { readonly does: 'ends'; readonly name: string; readonly value: EffectOutcome<'tool'> }
  | { readonly does: 'throws'; readonly name: string; readonly error: ErrorData }

/** An outcome of a hook or a scorer. Made by `gives` and `throws`. */
export type FunctionSaying =
  | { readonly does: 'gives'; readonly name: string; readonly value: JsonValue }
  | { readonly does: 'throws'; readonly name: string; readonly error: ErrorData }

/** A final answer. */
export function answers(text: string): ModelSaying {
  return { says: 'reply', name: `answers ${quoted(text)}`, text, calls: [], finishReason: 'stop' }
}

/**
 * Calls tools, subagents and handoffs in one reply, in the order of their names: by the names of tools, and the keys of
 * subagents and of agents to hand off to. Several objects call one name several times.
 */
export function calls(...named: readonly CallsByName[]): ModelSaying {
  const names = named.flatMap((one) => Object.keys(one))
  return {
    says: 'reply',
    name: `calls ${names.join(', ')}`,
    text: '',
    calls: named,
    finishReason: 'tool-calls',
  }
}

/**
 * A decision as JSON: given only to requests whose response format has this name (`plan`, `routing-decision`,
 * `critique`, …). A request with a response format that some decision names is given decisions alone.
 */
export function decides(format: string, value: JsonValue): ModelSaying {
  const text = JSON.stringify(value)
  const name = `decides ${format}: ${shortened(text)}`
  return { says: 'reply', name, text, calls: [], finishReason: 'stop', format }
}

/** The model call fails. A `RetryableError` is tried again; a text is the code of an error that is not. */
export function fails(error: unknown = 'MODEL_FAILED'): ModelSaying {
  const data = errorOf(error, 'The model failed.')
  return { says: 'error', name: `fails (${data.code})`, error: data }
}

/** The tool returns this value, which may hold files (`file()`). Throws a `TerminalError` for one that JSON cannot hold. */
export function returns(value: unknown): ToolSaying {
  const { value: json, files } = keptResult(value, 'The value of returns()', {
    root: 'value',
    code: 'TOOL_RESULT_NOT_JSON',
  })
  return {
    does: 'ends',
    name: `returns ${shortened(JSON.stringify(json))}`,
    value: { type: 'returned', value: json, ...(files.length === 0 ? {} : { files, leaving: true }) },
  }
}

/** The tool calls `suspend` with this payload. */
export function suspends(payload: JsonValue = null): ToolSaying {
  return { does: 'ends', name: 'suspends', value: { type: 'suspended', payload } }
}

/**
 * The tool calls `suspend` with this payload and a moment, as `sleepUntil` does. The moment comes, or an answer of people comes
 * before it.
 */
export function sleeps(payload: JsonValue = null): ToolSaying {
  return { does: 'ends', name: 'sleeps', value: { type: 'suspended', payload, delay: 3_600_000 } }
}

/** The tool or function throws. A `RetryableError` of a tool is tried again; a text is the code of any other error. */
export function throws(
  error: unknown = new TerminalError('It failed.'),
): Extract<ToolSaying & FunctionSaying, { does: 'throws' }> {
  const data = errorOf(error, 'It failed.')
  return { does: 'throws', name: `throws (${data.code})`, error: data }
}

/** The function answers with this value: a scorer with `{ score }`, a hook with the answer that its option describes. */
export function gives(value: JsonValue, name = `gives ${shortened(JSON.stringify(value))}`): FunctionSaying {
  return { does: 'gives', name, value }
}

function errorOf(error: unknown, message: string): ErrorData {
  return toErrorData(typeof error === 'string' ? new TerminalError(message, { code: error }) : error)
}

/** What a function of the user answered, as a step shows it. A function without an answer settles with `null`. */
export function answered({ value, error }: Settlement): string {
  if (error !== undefined) return `answers, throws (${error.code})`
  return value === null || value === undefined ? 'answers' : `answers ${shortened(JSON.stringify(value))}`
}

export function quoted(text: string): string {
  return `“${shortened(text)}”`
}

const longest = 60

function shortened(text: string): string {
  return text.length > longest ? `${text.slice(0, longest)}…` : text
}
