/** A completion as our reply. A stream ends here too, once its pieces are one part again. */
import { RetryableError } from '../../errors.ts'
import type { FinishReason, ModelReply } from '../chat-model.ts'
import { isRecord, type JsonValue } from '../json.ts'
import type { ToolCall } from '../message.ts'
import { bodyError, invalidReply, type CallContext } from './errors.ts'
import { firstChoice, readFinishReason, readPart, type CallPart, type Part } from './part.ts'
import { readUsage } from './usage.ts'

/** Throws as `errors.ts` says, and a `RetryableError` for a body that is no completion or has no finish reason. */
export function readCompletion(completion: unknown, call: CallContext): ModelReply {
  const body = typeof completion === 'string' ? parseBody(completion, call) : completion
  if (!isRecord(body)) throw invalidReply(call, 'something else than a JSON object')
  if (body['error']) throw bodyError(body['error'], call)
  const choice = firstChoice(body)
  if (choice === undefined) throw invalidReply(call, 'a reply without choices')
  const finishReason = readFinishReason(choice)
  if (finishReason === undefined) {
    throw new RetryableError(`Model "${call.modelId}" sent a reply without a finish reason.`, {
      code: 'MODEL_REPLY_INCOMPLETE',
    })
  }
  return toReply(readPart(choice['message']), finishReason, body['usage'])
}

export function toReply(part: Part, finishReason: string, usage: unknown): ModelReply {
  const isRefusal = part.refusal !== ''
  return {
    text: isRefusal ? part.refusal : part.text,
    ...(part.reasoning === '' ? {} : { reasoning: part.reasoning }),
    toolCalls: part.calls.map(toToolCall),
    finishReason: isRefusal ? 'refusal' : toFinishReason(finishReason, part.calls.length > 0),
    usage: readUsage(usage),
  }
}

function toFinishReason(reason: string, hasCalls: boolean): FinishReason {
  switch (reason) {
    case 'stop':
      return hasCalls ? 'tool-calls' : 'stop'
    case 'length':
      return 'length'
    case 'tool_calls':
    case 'function_call':
      return 'tool-calls'
    case 'content_filter':
      return 'content-filter'
    default:
      return 'unknown'
  }
}

function toToolCall({ id, name, args }: CallPart): ToolCall {
  if (args.trim() === '') return { id, name, args: {} }
  const parsed = parse(args)
  return isRecord(parsed)
    ? { id, name, args: parsed as Record<string, JsonValue> }
    : { id, name, args: null, malformed: args }
}

/** The client hands a body over as text where the server does not call it JSON. */
function parseBody(text: string, call: CallContext): unknown {
  const body = parse(text)
  if (body === undefined) throw invalidReply(call, `no JSON: ${text.trim()}`)
  return body
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
