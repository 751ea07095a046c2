/** The end of a run as the answer to the call that started it. */
import type { CallToolResult } from '@modelcontextprotocol/server'
import type { FileData, FileUrl } from '../../actors/content/content.ts'
import { isRecord } from '../../actors/values/json.ts'
import { toErrorData } from '../../errors.ts'
import { codeOfStop } from '../../runtime/cannot-go-on.ts'
import type { FinalResult, SuspendedResult } from '../../runtime/handle/result.ts'

/** Outcomes whose text is an answer, complete or not. */
const answering = ['completed', 'bailed', 'exhausted', 'stopped']

/**
 * The text is the answer; its files and an object of `structuredOutput` come with it. An error is named by its code alone.
 */
export function answerOf(result: FinalResult, files: readonly (FileData | FileUrl)[]): CallToolResult {
  const { outcome, runId, text } = result
  const _meta = { 'troupe/runId': runId, 'troupe/outcome': outcome }
  const isAnswer = answering.includes(outcome) && (outcome === 'completed' || text !== '')
  if (!isAnswer) return { ...failed(reasonOf(result)), _meta }
  const object = outcome === 'completed' ? result.object : undefined
  return {
    content: [{ type: 'text', text }, ...files.map(blockOf)],
    ...(isRecord(object) ? { structuredContent: object } : {}),
    _meta,
  }
}

type Block = CallToolResult['content'][number]

/** The files of an answer as blocks of MCP: images, audio, other resources, and links. */
function blockOf(file: FileData | FileUrl, index: number): Block {
  const { mediaType: mimeType, name = `file-${index + 1}` } = file
  if ('url' in file) return { type: 'resource_link', uri: file.url, name, mimeType }
  const [type] = mimeType.toLowerCase().split('/')
  if (type === 'image' || type === 'audio') return { type, data: file.data, mimeType }
  const uri = `troupe:/files/${encodeURIComponent(name)}`
  return { type: 'resource', resource: { uri, mimeType, blob: file.data } }
}

function reasonOf(result: FinalResult): string {
  switch (result.outcome) {
    case 'failed':
      return `The agent failed: ${result.error.code}.`
    case 'completed':
    case 'bailed':
      return `The agent gave no answer.`
    default:
      return `The agent gave no answer: ${result.outcome}, ${result.reason}.`
  }
}

/** The answer for a client that cannot ask a person. */
export function waiting({ runId, awaiting }: SuspendedResult): CallToolResult {
  const tools = awaiting.map(({ toolName }) => toolName).join(', ')
  return {
    ...failed(
      `The agent waits for a person (${tools}), and this client cannot ask one. The run is ${runId}.`,
    ),
    _meta: { 'troupe/runId': runId, 'troupe/outcome': 'suspended' },
  }
}

/** The answer for a run that could not be started or followed. */
export function unable(error: unknown): CallToolResult {
  return failed(`The agent cannot work on this: ${codeOfStop(error) ?? toErrorData(error).code}.`)
}

function failed(text: string): CallToolResult {
  return { content: [{ type: 'text', text }], isError: true }
}
