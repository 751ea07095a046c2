/** A completion as our reply, and the finish reasons of Chat Completions. */
import type { FinishReason, ModelReply } from '../../chat-model.ts'
import { invalidReply, type CallContext } from '../failures/errors.ts'
import { readBody, toReply, unfinishedReply } from '../shared/reply.ts'
import { isRecord } from '../../values/json.ts'
import type { Part } from '../shared/part.ts'
import { KeptFields } from './kept-fields.ts'
import { MadeImages } from './made-images.ts'
import { firstChoice, readFinishReason, readPart } from './choice.ts'

export function readCompletion(completion: unknown, call: CallContext): ModelReply {
  const body = readBody(completion, call)
  const choice = firstChoice(body)
  if (choice === undefined) throw invalidReply(call, 'a reply without choices')
  const finishReason = readFinishReason(choice)
  if (finishReason === undefined) throw unfinishedReply(call, 'without a finish reason')
  const part = wholePart(choice['message'])
  return toReply(part, toFinishReason(finishReason), body['usage'])
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
