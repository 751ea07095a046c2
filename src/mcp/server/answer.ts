/** The end of a run as the answer to the call that started it. */
import type { CallToolResult } from '@modelcontextprotocol/server'
import type { FileData, FileUrl } from '../../actors/content/content.ts'
import { isRecord } from '../../actors/values/json.ts'
import { toErrorData } from '../../errors.ts'
import { codeOfStop } from '../../runtime/cannot-go-on.ts'
import type { FinalResult, SuspendedResult } from '../../runtime/handle/result.ts'
import { blockOf } from './files.ts'

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
