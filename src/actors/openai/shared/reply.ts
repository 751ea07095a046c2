/** Turns the answer of a server into our reply: the part that both APIs have in common. */
import { RetryableError } from '../../../errors.ts'
import { readResponse, type FinishReason, type ModelReply } from '../../chat-model.ts'
import { isRecord, type JsonValue } from '../../values/json.ts'
import type { ToolCall } from '../../message.ts'
import { bodyError, invalidReply, type CallContext } from '../failures/errors.ts'
import type { CallPart, Part } from './part.ts'
import { partedReply } from '../../text/thoughts.ts'
import { reportedUsage, type Usage } from '../../usage.ts'

/** The body of a reply. Throws for one that is no JSON object, or an error. */
export function readBody(reply: unknown, call: CallContext): Record<string, unknown> {
  const body = typeof reply === 'string' ? parseBody(reply, call) : reply
  if (!isRecord(body)) throw invalidReply(call, 'something else than a JSON object')
  if (body['error']) throw bodyError(body['error'], call)
  return body
}

/**
 * A refusal has its own finish reason, and an ordinary end with tool calls has theirs. Thoughts in the text are reasoning,
 * behind that of the server. `body`: what the server says about its reply, with the usage.
 */
export function toReply(
  given: Part,
  finishReason: FinishReason,
  body: Readonly<Record<string, unknown>>,
): ModelReply {
  const part = withoutThoughts(given)
  const response = readResponse({ id: body['id'], modelId: body['model'] })
  const isRefusal = part.refusal !== ''
  const isCalling = finishReason === 'stop' && part.calls.length > 0
  return {
    text: isRefusal ? part.refusal : part.text,
    ...(part.reasoning === '' ? {} : { reasoning: part.reasoning }),
    ...(part.files === undefined ? {} : { files: part.files }),
    ...(part.sources === undefined ? {} : { sources: part.sources }),
    toolCalls: part.calls.map((call, index) => {
      const isCut = finishReason === 'length' && index === part.calls.length - 1
      return toToolCall(call, isCut)
    }),
    finishReason: isRefusal ? 'refusal' : isCalling ? 'tool-calls' : finishReason,
    usage: readUsage(body['usage']),
    ...(response === undefined ? {} : { response }),
    ...(part.keepReasoning === undefined ? {} : { keepReasoning: true }),
    ...(part.data === undefined ? {} : { providerData: part.data }),
  }
}

function withoutThoughts({ takesThoughts, ...part }: Part): Part {
  const { thoughts, answer: text, opening } = partedReply(part.text)
  if (text === part.text) return part
  const goesBack =
    takesThoughts === true && opening !== undefined && part.calls.length > 0 && part.reasoning === ''
  return {
    ...part,
    text,
    reasoning: [part.reasoning, thoughts].filter((words) => words !== '').join('\n\n'),
    ...(goesBack ? { data: { ...part.data, thoughts: opening }, keepReasoning: true } : {}),
  }
}

/** The server's token counts, under the names of either API, as ours. Without both counts the usage is `incomplete`. */
function readUsage(value: unknown): Usage {
  const usage = isRecord(value) ? value : {}
  const input = usage['prompt_tokens_details'] ?? usage['input_tokens_details']
  const cachedInputTokens = detail(input, 'cached_tokens')
  const cacheWriteTokens = detail(input, 'cache_write_tokens')
  const reasoningTokens = detail(
    usage['completion_tokens_details'] ?? usage['output_tokens_details'],
    'reasoning_tokens',
  )
  return reportedUsage({
    inputTokens: usage['prompt_tokens'] ?? usage['input_tokens'],
    outputTokens: usage['completion_tokens'] ?? usage['output_tokens'],
    totalTokens: usage['total_tokens'],
    ...(cachedInputTokens > 0 ? { cachedInputTokens } : {}),
    ...(cacheWriteTokens > 0 ? { cacheWriteTokens } : {}),
    ...(reasoningTokens > 0 ? { reasoningTokens } : {}),
  })
}

function detail(details: unknown, key: string): number {
  const count = isRecord(details) ? details[key] : undefined
  return typeof count === 'number' && Number.isFinite(count) && count > 0 ? count : 0
}

/** Nothing of it says that the model has answered. */
export function isEmpty({ text, refusal, calls, files }: Part): boolean {
  return text === '' && refusal === '' && calls.length === 0 && files === undefined
}

/** The error of a whole reply that does not state how it ended. */
export function unfinishedReply({ modelId }: CallContext, what: string): RetryableError {
  return new RetryableError(`Model "${modelId}" sent a reply ${what}.`, { code: 'MODEL_REPLY_INCOMPLETE' })
}

/** The error of a stream that ended before the reply did. */
export function unfinishedStream({ modelId }: CallContext, what: string): RetryableError {
  return new RetryableError(`The stream of model "${modelId}" ended ${what}.`, {
    code: 'MODEL_STREAM_INCOMPLETE',
  })
}

/** `isCut`: the reply was cut off in this call or after it. Then no arguments are not the same as none yet. */
function toToolCall({ id, name, args, data: providerData }: CallPart, isCut: boolean): ToolCall {
  const data = providerData === undefined ? {} : { providerData }
  if (args.trim() === '' && !isCut) return { id, name, args: {}, ...data }
  const parsed = parse(args) ?? parse(withoutCopies(args))
  return isRecord(parsed)
    ? { id, name, args: parsed as Record<string, JsonValue>, ...data }
    : { id, name, args: null, malformed: args, ...data }
}

/** Some gateways join two or three copies of the arguments: the first of them; the text itself where it has none. */
function withoutCopies(args: string): string {
  const copies = [2, 3].find((count) => args === args.slice(0, args.length / count).repeat(count))
  return copies === undefined ? args : args.slice(0, args.length / copies)
}

/** The client passes a body as text where the server does not declare it as JSON. */
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
