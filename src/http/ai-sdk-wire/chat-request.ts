/** The request of a chat, as `DefaultChatTransport` of the AI SDK sends it: a message of the user, or answers to approvals. */
import type { Content, JsonValue, Part, PromptMessage, RunSignal } from '../../index.ts'
import { aName, isRecord } from '../../kit/index.ts'
import { readAs, wrongRequest } from '../../kit/wire/index.ts'
import { isFileAddress } from '../files/route.ts'

export type ChatRequest = {
  /** Of the chat: the conversation of its runs. */
  readonly chatId: string
} & (
  | { readonly type: 'message'; readonly prompt: readonly PromptMessage[]; readonly input?: JsonValue }
  | {
      readonly type: 'answers'
      readonly runId: string
      readonly signals: readonly RunSignal[]
      /** The last event that the page has. */
      readonly after?: string
    }
)

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
  const { input } = body
  return { chatId, type: 'message', prompt, ...(input === undefined ? {} : { input: input as JsonValue }) }
}

function listOf(given: unknown, name: string): readonly Fields[] {
  if (Array.isArray(given) && given.every(isRecord)) return given
  throw wrongRequest(`${name} must be a list of objects.`)
}

/** The id of an assistant's message is that of its run. */
function readAnswers(message: Fields) {
  const { id: runId, metadata } = message
  const signals = listOf(message['parts'], 'parts').flatMap(signalOf)
  if (typeof runId !== 'string' || signals.length === 0)
    throw wrongRequest('The last message answers no approval.')
  const cursor = isRecord(metadata) ? metadata['cursor'] : undefined
  return {
    type: 'answers',
    runId,
    signals,
    ...(typeof cursor === 'string' ? { after: cursor } : {}),
  } as const
}

function signalOf({ state, approval }: Fields): readonly RunSignal[] {
  if (state !== 'approval-responded' || !isRecord(approval)) return []
  const { id: toolCallId, approved, reason } = approval
  if (typeof toolCallId !== 'string' || typeof approved !== 'boolean')
    throw wrongRequest('An approval is malformed.')
  if (approved) return [{ type: 'approve', toolCallId }]
  return [{ type: 'deny', toolCallId, ...(typeof reason === 'string' ? { reason } : {}) }]
}

/** The text and the files of a message; one with neither, such as an answer of calls alone, is left out. */
function messageOf({ role, parts }: Fields, base: string): readonly PromptMessage[] {
  if (role !== 'user' && role !== 'assistant')
    throw wrongRequest('A message must be of the user or of the assistant.')
  const read = listOf(parts, 'parts').flatMap((part) => partOf(part, base))
  const content: Content = read.every((part) => part.type === 'text')
    ? read.map(({ text }) => text).join('')
    : read
  return content.length === 0 ? [] : [{ role, content }]
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
