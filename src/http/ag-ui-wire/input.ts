/** The body of a request, `RunAgentInput` of AG-UI: messages that start a run, or answers to interrupts of one. */
import type { Content, JsonValue, Part, PromptMessage } from '../../index.ts'
import { aName, isRecord } from '../../kit/index.ts'
import { aRunId, readAs, wrongRequest } from '../../kit/wire/index.ts'
import { assertPrompt } from '../troupe-wire/start.ts'
import type { ClientRun } from './events.ts'
import { readResume, type AskedAnswer } from './interrupts.ts'
import { assertOfOneRun, resultsOf, type CallResult } from './results.ts'

type Fields = Readonly<Record<string, unknown>>

export type AgUiRequest = { readonly client: ClientRun } & (
  | {
      readonly type: 'start'
      readonly prompt: readonly PromptMessage[]
      readonly input?: JsonValue
      /** The tools of the page, as it sends them. */
      readonly tools?: unknown
    }
  | {
      readonly type: 'resume'
      readonly answers: readonly AskedAnswer[]
      readonly results: readonly CallResult[]
    }
)

/** Throws a `RefusedRequest`. `context` and `state` of the client are left out. */
export function readInput(body: Fields): AgUiRequest {
  const threadId = readAs(() => aName(body['threadId'], 'RunAgentInput: threadId') as string)
  const runId = readAs(() => aRunId(body['runId'], 'RunAgentInput: runId') as string)
  const client = { threadId, runId }
  const resume = body['resume'] == null ? [] : listOf(body['resume'], 'resume')
  const messages = listOf(body['messages'], 'messages')
  const results = resultsOf(messages)
  if (resume.length > 0 || results.length > 0) {
    const answers = readResume(resume)
    assertOfOneRun([...answers.map(({ asked }) => asked), ...results])
    return { client, type: 'resume', answers, results }
  }
  const prompt = messages.flatMap(messageOf)
  if (prompt.at(-1)?.role !== 'user') {
    throw wrongRequest('The last message must be one of the user, with a text or a file.')
  }
  assertPrompt(prompt)
  const { forwardedProps: input, tools } = body
  return {
    client,
    type: 'start',
    prompt,
    ...(input === undefined ? {} : { input: input as JsonValue }),
    ...(tools === undefined ? {} : { tools }),
  }
}

function listOf(given: unknown, name: string): readonly Fields[] {
  if (Array.isArray(given) && given.every(isRecord)) return given
  throw wrongRequest(`${name} must be a list of objects.`)
}

/**
 * A message of the conversation. Those of subagents, calls and results, and instructions of the client, are left out, and so is
 * what the agent did not take.
 */
function messageOf({ role, content, subagentRunId, metadata }: Fields): readonly PromptMessage[] {
  if ((role !== 'user' && role !== 'assistant') || subagentRunId !== undefined) return []
  if (role === 'assistant' && isMarked(metadata)) return []
  const read = typeof content === 'string' ? content : contentOf(content)
  return read.length === 0 ? [] : [{ role, content: read }]
}

/** Whether the server has told that the text was cut or rejected. */
function isMarked(metadata: unknown): boolean {
  const mark = isRecord(metadata) ? metadata['troupe'] : undefined
  return isRecord(mark) && mark['status'] !== undefined
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
