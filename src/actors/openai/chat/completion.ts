/** A completion as our reply, and the finish reasons of Chat Completions. */
import type { FinishReason, ModelReply } from '../../chat-model.ts'
import { invalidReply, type CallContext } from '../failures/errors.ts'
import { isEmpty, readBody, toReply, unfinishedReply } from '../shared/reply.ts'
import { isRecord } from '../../values/json.ts'
import {
  readArguments,
  readIndex,
  readText,
  citing,
  readCitations,
  type Part,
  type CallPart,
} from '../shared/part.ts'
import { KeptFields, readCallFields, readReasoning } from './kept-fields.ts'
import { MadeImages } from './made-images.ts'

export function readCompletion(completion: unknown, call: CallContext): ModelReply {
  const body = readBody(completion, call)
  const choice = firstChoice(body)
  if (choice === undefined) throw invalidReply(call, 'a reply without choices')
  const part = wholePart(choice['message'])
  const finishReason = readFinishReason(choice)
  if (finishReason === undefined && isEmpty(part)) throw unfinishedReply(call, 'without a finish reason')
  return toReply(part, toFinishReason(finishReason ?? 'stop'), body)
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
    reasoning: readReasoning(message)?.text ?? '',
    refusal: readText(message['refusal']),
    calls: Array.isArray(calls) ? calls.filter(isRecord).map(readCall) : [],
    takesThoughts: true,
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

function wholePart(message: unknown): Part {
  const kept = new KeptFields()
  const made = new MadeImages()
  if (isRecord(message)) {
    kept.add(message)
    made.add(message)
  }
  return { ...readPart(message), ...kept.part, ...made.part }
}

export function toFinishReason(reason: string): FinishReason {
  switch (reason) {
    case 'stop':
    case 'length':
      return reason
    case 'tool_calls':
    case 'function_call':
      return 'tool-calls'
    case 'content_filter':
      return 'content-filter'
    default:
      return 'unknown'
  }
}
