/** The body of a request, `RunAgentInput` of AG-UI: messages that start a run, or answers to interrupts of one. */
import type { Content, JsonValue, Part, PromptMessage } from '../../index.ts'
import { aName, isRecord } from '../../kit/index.ts'
import { aRunId, readAs, wrongRequest } from '../../kit/wire/index.ts'
import { assertPrompt } from '../troupe-wire/start.ts'
import type { ClientRun } from './events.ts'
import { readResume, type AskedAnswer } from './interrupts.ts'

type Fields = Readonly<Record<string, unknown>>

export type AgUiRequest = { readonly client: ClientRun } & (
  | { readonly type: 'start'; readonly prompt: readonly PromptMessage[]; readonly input?: JsonValue }
  | { readonly type: 'resume'; readonly answers: readonly AskedAnswer[] }
)

/** Throws a `RefusedRequest`. `tools`, `context` and `state` of the client are left out: the agents have their own. */
export function readInput(body: Fields): AgUiRequest {
  const threadId = readAs(() => aName(body['threadId'], 'RunAgentInput: threadId') as string)
  const runId = readAs(() => aRunId(body['runId'], 'RunAgentInput: runId') as string)
  const client = { threadId, runId }
  const resume = body['resume'] === undefined ? [] : listOf(body['resume'], 'resume')
  if (resume.length > 0) return { client, type: 'resume', answers: readResume(resume) }
  const prompt = listOf(body['messages'], 'messages').flatMap(messageOf)
  if (prompt.at(-1)?.role !== 'user') {
    throw wrongRequest('The last message must be one of the user, with a text or a file.')
  }
  assertPrompt(prompt)
  const { forwardedProps: input } = body
  return { client, type: 'start', prompt, ...(input === undefined ? {} : { input: input as JsonValue }) }
}

function listOf(given: unknown, name: string): readonly Fields[] {
  if (Array.isArray(given) && given.every(isRecord)) return given
  throw wrongRequest(`${name} must be a list of objects.`)
}

/** A message of the conversation. Those of subagents, calls and results, and instructions of the client, are left out. */
function messageOf({ role, content, subagentRunId }: Fields): readonly PromptMessage[] {
  if ((role !== 'user' && role !== 'assistant') || subagentRunId !== undefined) return []
  const read = typeof content === 'string' ? content : contentOf(content)
  return read.length === 0 ? [] : [{ role, content: read }]
}

function contentOf(given: unknown): Content {
  return given === undefined ? '' : listOf(given, 'content').map(partOf)
}

const fileTypes: readonly unknown[] = ['image', 'audio', 'video', 'document']

function partOf({ type, text, source }: Fields): Part {
  if (type === 'text' && typeof text === 'string') return { type, text }
  if (!fileTypes.includes(type) || !isRecord(source)) throw wrongRequest('A part of a message is malformed.')
  const { type: from, value, mimeType } = source
  if (typeof value !== 'string' || typeof mimeType !== 'string') {
    throw wrongRequest('The source of a file must have a value and a mimeType.')
  }
  if (from === 'data') return { type: 'file', mediaType: mimeType, data: value }
  if (from === 'url') return { type: 'file', mediaType: mimeType, url: value }
  throw wrongRequest('The source of a file must be data or url.')
}
