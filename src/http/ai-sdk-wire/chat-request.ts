/**
 * The request of a chat, as `DefaultChatTransport` of the AI SDK sends it: a message of the user, or a message of the assistant
 * in which the page has answered approvals, suspended calls, or calls of its own tools.
 */
import type { Content, JsonValue, Part, PromptMessage, RunSignal } from '../../index.ts'
import { aName, isRecord } from '../../kit/index.ts'
import { readAs, wrongRequest } from '../../kit/wire/index.ts'
import { isFileAddress } from '../files/route.ts'
import { idInRun } from './call-ids.ts'

export type ChatRequest = {
  /** Of the chat: the conversation of its runs. */
  readonly chatId: string
} & (
  | {
      readonly type: 'message'
      readonly prompt: readonly PromptMessage[]
      readonly input?: JsonValue
      /** The tools of the page, as it sends them. */
      readonly tools?: unknown
    }
  | {
      readonly type: 'answers'
      readonly runId: string
      /** The answers to approvals. */
      readonly approvals: readonly RunSignal[]
      /** The outputs of calls, those of the server among them. */
      readonly outputs: readonly CallOutput[]
      /** The last event that the page has. */
      readonly after?: string
    }
)

/** The output of a call as the page has it: its own answer, or what the server has sent it. */
export interface CallOutput {
  readonly toolCallId: string
  /** The answer, if the call waits for one. */
  readonly signal: RunSignal
  /** When the question was asked that the page has seen last; milliseconds since 1970. */
  readonly since?: number
}

type Fields = Readonly<Record<string, unknown>>

/** `base`: of the handler. Throws a `RefusedRequest`. Other fields than those of the AI SDK and `input` are left out. */
export function readChat(body: Fields, base: string): ChatRequest {
  const chatId = readAs(() => aName(body['id'], 'chat: id') as string)
  const messages = listOf(body['messages'], 'messages')
  const last = messages.at(-1)
  if (last?.['role'] === 'assistant') return { chatId, ...readAnswers(last) }
  const prompt = messages.flatMap((message) => messageOf(message, base))
  if (prompt.at(-1)?.role !== 'user')
    throw wrongRequest('The last message must be one of the user, with a text or a file.')
  const { input, tools } = body
  return {
    chatId,
    type: 'message',
    prompt,
    ...(input === undefined ? {} : { input: input as JsonValue }),
    ...(tools === undefined ? {} : { tools }),
  }
}

function listOf(given: unknown, name: string): readonly Fields[] {
  if (Array.isArray(given) && given.every(isRecord)) return given
  throw wrongRequest(`${name} must be a list of objects.`)
}

/** The id of an assistant's message is that of its run. */
function readAnswers(message: Fields) {
  const { id: runId, metadata } = message
  const parts = listOf(message['parts'], 'parts')
  if (typeof runId !== 'string') throw wrongRequest('The last message answers no question.')
  const approvals = parts.flatMap((part) => approvalOf(part, runId))
  const times = timesOfQuestions(parts)
  const outputs = parts.flatMap((part) => outputOf(part, times, runId))
  if (approvals.length + outputs.length === 0) throw wrongRequest('The last message answers no question.')
  const cursor = isRecord(metadata) ? metadata['cursor'] : undefined
  return {
    type: 'answers',
    runId,
    approvals,
    outputs,
    ...(typeof cursor === 'string' ? { after: cursor } : {}),
  } as const
}

function approvalOf({ state, approval }: Fields, runId: string): readonly RunSignal[] {
  if (state !== 'approval-responded' || !isRecord(approval)) return []
  const { id, approved, reason } = approval
  if (typeof id !== 'string' || typeof approved !== 'boolean') throw wrongRequest('An approval is malformed.')
  const toolCallId = idInRun(id, runId)
  if (approved) return [{ type: 'approve', toolCallId }]
  return [{ type: 'deny', toolCallId, ...(typeof reason === 'string' ? { reason } : {}) }]
}

/** When the questions of a message were asked, by the ids of their calls; milliseconds since 1970. */
function timesOfQuestions(parts: readonly Fields[]): ReadonlyMap<unknown, number> {
  const times = new Map<unknown, number>()
  for (const { type, id, data } of parts) {
    const since = type === 'data-question' && isRecord(data) ? data['since'] : undefined
    if (typeof since === 'number' && !times.has(id)) times.set(id, since)
  }
  return times
}

/** The output of a call that is not preliminary, as `addToolOutput` and the server give it. */
function outputOf(
  { toolCallId: given, state, output, preliminary, errorText }: Fields,
  times: ReadonlyMap<unknown, number>,
  runId: string,
): readonly CallOutput[] {
  if (typeof given !== 'string' || preliminary === true) return []
  const toolCallId = idInRun(given, runId)
  const since = times.get(toolCallId)
  const seen = since === undefined ? {} : { since }
  if (state === 'output-available') {
    const data = output === undefined ? {} : { data: output as JsonValue }
    return [{ toolCallId, signal: { type: 'resume', toolCallId, ...data }, ...seen }]
  }
  if (state !== 'output-error') return []
  const reason = typeof errorText === 'string' ? { reason: errorText } : {}
  return [{ toolCallId, signal: { type: 'deny', toolCallId, ...reason }, ...seen }]
}

/**
 * The texts and the files of a message; one with neither, such as an answer of calls alone, is left out. Each step of the
 * assistant has said its text by itself.
 */
function messageOf({ role, parts }: Fields, base: string): readonly PromptMessage[] {
  const given = listOf(parts, 'parts')
  if (role === 'user') {
    const read = given.flatMap((part) => partOf(part, base))
    return read.length === 0 ? [] : [{ role, content: contentOf(read) }]
  }
  if (role !== 'assistant') throw wrongRequest('A message must be of the user or of the assistant.')
  const read = given.filter(isTaken).flatMap((part) => partOf(part, base))
  return read.map((part) => ({ role, content: contentOf([part]) }))
}

function contentOf(parts: readonly Part[]): Content {
  const [first] = parts
  return parts.length === 1 && first?.type === 'text' ? first.text : parts
}

/** Whether the agent has taken the text: it has no mark of this server, and has come to its end. */
function isTaken({ type, state, providerMetadata }: Fields): boolean {
  if (type !== 'text') return true
  const mark = isRecord(providerMetadata) ? providerMetadata['troupe'] : undefined
  return state !== 'streaming' && !(isRecord(mark) && mark['status'] !== undefined)
}

/** The files of earlier answers, which the page has by their addresses here, are left out. */
function partOf({ type, text, url, mediaType, filename }: Fields, base: string): readonly Part[] {
  if (type === 'text' && typeof text === 'string' && text !== '') return [{ type, text }]
  if (type !== 'file') return []
  if (typeof url !== 'string' || typeof mediaType !== 'string') throw wrongRequest('A file is malformed.')
  if (isFileAddress(base, url)) return []
  const name = typeof filename === 'string' ? { name: filename } : {}
  const [, data] = /^data:[^,]*;base64,(.*)$/s.exec(url) ?? []
  return [data === undefined ? { type, mediaType, url, ...name } : { type, mediaType, data, ...name }]
}
