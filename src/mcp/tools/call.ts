/** One call of a server's tool: made again after a lost connection where that is safe, suspended where the server asks. */
import {
  type JsonValue,
  type OnInterrupted,
  RetryableError,
  TerminalError,
  type ToolExecution,
} from '../../index.ts'
import { askUser, isRecord, reporterOf, safely, toJsonValue, wellFormed } from '../../kit/index.ts'
import { longestTimer, someObject } from '../../kit/host.ts'
import { elicitationOf, inputRequiredOf } from '../elicitation/input-required.ts'
import { readAnswers, type ElicitationAnswers } from '../elicitation/question.ts'
import type { McpAnswer, McpCall, McpCallOptions, McpClient } from '../connection/client.ts'
import { resultOf, textOfContent } from './content.ts'
import {
  type Failure,
  failureBeside,
  failureOf,
  isRefusedRequest,
  messageOf,
  unauthorisedError,
} from '../connection/failures.ts'
import { sessionOf, type Session } from '../connection/session.ts'
import { type CallClock, startClock } from './clock.ts'
import { defaultCallTimeout, type McpProgress, type McpToolCall, type McpToolsOptions } from './options.ts'

/** A client for a call, and a way to give it up when its connection is lost. */
export interface Clients {
  client(): Promise<McpClient>
  /** Absent where no new connection can be made. */
  readonly lost?: (client: McpClient) => void
}

/** The tool that is called. */
export interface Called {
  readonly name: string
  readonly onInterrupted: OnInterrupted
}

type Answer = Readonly<Record<string, unknown>>

/** The field of `_meta` that is the same on every attempt of a call. */
const idempotencyField = 'troupe/idempotencyKey'

/** How often a server may want the same call again without a question. */
const mostRounds = 10

/** Resolves with the result of the tool. Rejects with a `RetryableError` or a `TerminalError`. */
export async function callTool(
  tool: Called,
  args: Record<string, unknown>,
  execution: ToolExecution,
  clients: Clients,
  options: McpToolsOptions,
): Promise<JsonValue> {
  const { resumeData, answers } = execution
  // An answer to the server stands where the connection was lost behind it.
  const given = answers.findLast(({ data }) => !isInterruption(data))?.data
  if (isInterruption(resumeData) && 'result' in resumeData) return resumeData['result'] ?? null
  let input = given === undefined ? {} : inputOf(readAnswers(given, tool.name))
  for (let round = 0; round < mostRounds; round++) {
    // A model may cut a character in two, which a strict server refuses with the whole request.
    const call: McpCall = wellFormed({
      name: tool.name,
      arguments: args,
      _meta: { ...(await metaOf(tool, execution, options)), [idempotencyField]: execution.idempotencyKey },
      ...input,
    })
    const answer = await answerTo(call, tool, execution, clients, options)
    const asked = inputRequiredOf(answer)
    if (asked === undefined) return settled(tool, answer, options)
    if (Object.keys(asked.inputRequests).length > 0) execution.suspend(elicitationOf(tool.name, asked))
    const { requestState } = asked
    input = requestState === undefined ? {} : { requestState }
  }
  throw new TerminalError(`The tool "${tool.name}" was called ${mostRounds} times and did not answer.`, {
    code: 'MCP_NO_ANSWER',
  })
}

async function metaOf(tool: Called, execution: ToolExecution, { meta }: McpToolsOptions): Promise<object> {
  if (meta === undefined) return {}
  return askUser('meta of mcpTools', () => meta(calling(tool, execution)), someObject)
}

/** The answer of a person to a call whose connection was lost. */
function isInterruption(data: JsonValue | undefined): data is { readonly [key: string]: JsonValue } {
  return isRecord(data) && (data['retry'] === true || 'result' in data)
}

function inputOf({ inputResponses, requestState }: ElicitationAnswers): Partial<McpCall> {
  const responses = Object.entries(inputResponses).map(([name, { action, content }]): [string, McpAnswer] => [
    name,
    { action, ...(content === undefined ? {} : { content: formOf(content) }) },
  ])
  return {
    inputResponses: Object.fromEntries(responses),
    ...(requestState === undefined ? {} : { requestState }),
  }
}

type Form = NonNullable<McpAnswer['content']>

function formOf(content: NonNullable<ElicitationAnswers['inputResponses'][string]['content']>): Form {
  return Object.fromEntries(
    Object.entries(content).map(([field, value]) => [field, typeof value === 'object' ? [...value] : value]),
  )
}

function settled(tool: Called, answer: Answer, { errors }: McpToolsOptions): JsonValue {
  if (answer['isError'] !== true) return resultOf(answer)
  const text = textOfContent(answer['content'])
  if (errors === 'show') return { error: text }
  throw new TerminalError(`The tool "${tool.name}" answered with an error: ${text}`, {
    code: 'MCP_TOOL_FAILED',
  })
}

async function answerTo(
  call: McpCall,
  tool: Called,
  execution: ToolExecution,
  clients: Clients,
  options: McpToolsOptions,
): Promise<Answer> {
  const first = await attempt(call, tool, execution, clients, options)
  if (first.answer !== undefined) return first.answer
  // The server has not begun the call, and a new connection can be made: the call is made once more.
  const again =
    first.isUnsent && clients.lost !== undefined
      ? await attempt(call, tool, execution, clients, options)
      : first
  if (again.answer !== undefined) return again.answer
  throw again.error
}

type Attempt =
  | { readonly answer: Answer }
  | { readonly answer?: undefined; readonly error: unknown; readonly isUnsent: boolean }

async function attempt(
  call: McpCall,
  tool: Called,
  execution: ToolExecution,
  clients: Clients,
  options: McpToolsOptions,
): Promise<Attempt> {
  const client = await clients.client()
  const session = sessionOf(client)
  const clock = startClock(options.timeout ?? defaultCallTimeout, session)
  try {
    return { answer: { ...(await client.callTool(call, callOptions(tool, execution, options, clock))) } }
  } catch (error) {
    clock.stop()
    execution.signal.throwIfAborted()
    const failure = await judged(error, session)
    const isGone = failure.session === 'gone'
    if (isGone) clients.lost?.(client)
    switch (failure.kind) {
      case 'unsent':
        return { error: notTaken(tool, error), isUnsent: isGone }
      case 'doubtful':
        return { error: inDoubt(tool, execution, error), isUnsent: false }
      case 'timeout':
        throw new TerminalError(`The tool "${tool.name}" has not answered within its timeout.`, {
          code: 'TOOL_TIMEOUT',
          cause: error,
        })
      case 'unauthorised':
        throw unauthorisedError(error)
      case 'refused':
        throw refusedCall(tool, error)
    }
  } finally {
    clock.stop()
  }
}

/** An error that may speak of the call or of the session: what a plain request of the session meets tells them apart. */
async function judged(error: unknown, session: Session | undefined): Promise<Failure> {
  const failure = failureOf(error)
  if (failure.session !== 'unknown' || session === undefined) return failure
  return failureBeside(failure, error, await session.refusal())
}

function notTaken(tool: Called, error: unknown): RetryableError | TerminalError {
  return isRefusedRequest(error) ? refusedCall(tool, error) : lostConnection(tool, error)
}

function refusedCall(tool: Called, cause: unknown): TerminalError {
  const message = `The MCP server refused the call of "${tool.name}": ${messageOf(cause)}`
  return new TerminalError(message, { code: 'MCP_REFUSED', cause })
}

function lostConnection(tool: Called, cause: unknown): RetryableError {
  const message = `The call of "${tool.name}" did not reach the MCP server: ${messageOf(cause)}`
  return new RetryableError(message, { code: 'MCP_UNAVAILABLE', cause })
}

/** The connection ended before the answer: the server may have performed the call. */
function inDoubt(tool: Called, execution: ToolExecution, cause: unknown): unknown {
  const message = `The connection to the MCP server ended during the call of "${tool.name}": ${messageOf(cause)}`
  switch (tool.onInterrupted) {
    case 'retry':
      return new RetryableError(message, { code: 'MCP_CONNECTION_LOST', cause })
    case 'fail':
      return new TerminalError(message, { code: 'MCP_CONNECTION_LOST', cause })
    case 'ask':
      return execution.suspend({
        interrupted: true,
        tool: tool.name,
        reason: toJsonValue(message, 'The reason'),
      })
  }
}

function calling({ name }: Called, { runId, agent, toolCallId }: ToolExecution): McpToolCall {
  return { tool: name, runId, agent, toolCallId }
}

function callOptions(
  tool: Called,
  execution: ToolExecution,
  { onProgress, onError }: McpToolsOptions,
  clock: CallClock,
): McpCallOptions {
  const { runId, agent } = execution
  const tell = safely<McpProgress>(
    'onProgress of mcpTools',
    (progress) => onProgress?.(progress),
    reporterOf(onError),
    () => ({ runId, agent }),
  )
  return {
    signal: AbortSignal.any([execution.signal, clock.signal]),
    timeout: longestTimer, // the clock of the call ends it before
    resetTimeoutOnProgress: true,
    allowInputRequired: true,
    onprogress: ({ progress, total, message }) => {
      clock.restart()
      const report = {
        progress,
        ...(total === undefined ? {} : { total }),
        ...(message === undefined ? {} : { message }),
      }
      execution.emit(report)
      tell({ ...calling(tool, execution), ...report })
    },
  }
}
