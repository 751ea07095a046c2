/** One call of an agent's tool: a run that starts, or one that goes on with the answers of the client. */
import {
  type AgentDefinition,
  type FileData,
  type FileUrl,
  type FinalResult,
  type RunResult,
  SignalError,
  type SuspendedResult,
  TroupeError,
} from '../../index.ts'
import {
  type Reporter,
  askUser,
  codeOfStop,
  deliveredFiles,
  isRecord,
  readTraceContext,
  withTrace,
  nameOrNothing,
  runOptionsOf,
  toErrorData,
  wellFormed,
} from '../../kit/index.ts'
import { objectOnRecord, saysAnything } from '../../kit/host.ts'
import type { CallToolResult, InputRequiredResult, ServerContext } from '@modelcontextprotocol/server'
import type { AskedState, McpAnswering, McpAuthInfo, McpServerOptions, ServedRun } from './options.ts'
import { reportProgress, type SendProgress } from './progress.ts'
import { digestOfQuestion, questionsOf, signalOf } from './questions.ts'

/** The tool that is called. */
export interface ServedAgent {
  /** The name of the tool. */
  readonly name: string
  readonly agent: AgentDefinition
}

export interface Serving {
  readonly options: McpServerOptions
  readonly report: Reporter
  /** Signs the state that the client gives back. */
  readonly sign: (state: AskedState, call: ServerContext) => Promise<string>
  /** Whether the client can ask a person. */
  readonly canAsk: (call: ServerContext) => boolean
}

type Answer = CallToolResult | InputRequiredResult

/** Never rejects for a run that cannot be started or followed: the answer is then marked as an error. */
export async function serveCall(
  served: ServedAgent,
  prompt: string,
  call: ServerContext,
  serving: Serving,
): Promise<Answer> {
  const asked = call.mcpReq.requestState<AskedState>()
  try {
    const run = await runOf(served, prompt, asked, call, serving.options)
    return wellFormed(await followed(run, served, asked?.after ?? 0, call, serving))
  } catch (error) {
    serving.report({
      message: 'a call of an agent could not be answered',
      code: 'AGENT_CALL_NOT_ANSWERED',
      where: 'request',
      error,
    })
    return unable(error)
  }
}

/** Outcomes whose text is an answer, complete or not. */
const answering = ['completed', 'bailed', 'exhausted', 'stopped']

/**
 * The text is the answer; its files and an object of `structuredOutput` come with it. An error is named by its code alone.
 */
function answerOf(result: FinalResult, files: readonly (FileData | FileUrl)[]): CallToolResult {
  const { outcome, runId, text } = result
  const _meta = { 'troupe/runId': runId, 'troupe/outcome': outcome }
  const isAnswer = answering.includes(outcome) && (outcome === 'completed' || saysAnything({ text, files }))
  if (!isAnswer) return { ...failed(reasonOf(result)), _meta }
  const object = objectOnRecord(result)
  return {
    content: [...(text === '' && files.length > 0 ? [] : [textBlock(text)]), ...files.map(blockOf)],
    ...(isRecord(object) ? { structuredContent: object } : {}),
    _meta,
  }
}

type Block = CallToolResult['content'][number]

function textBlock(text: string): Block {
  return { type: 'text', text }
}

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
function waiting({ runId, awaiting }: SuspendedResult): CallToolResult {
  const tools = awaiting.map(({ toolName }) => toolName).join(', ')
  return {
    ...failed(
      `The agent waits for a person (${tools}), and this client cannot ask one. The run is ${runId}.`,
    ),
    _meta: { 'troupe/runId': runId, 'troupe/outcome': 'suspended' },
  }
}

/** The answer for a run that could not be started or followed. */
function unable(error: unknown): CallToolResult {
  return failed(`The agent cannot work on this: ${codeOfStop(error) ?? toErrorData(error).code}.`)
}

function failed(text: string): CallToolResult {
  return { content: [{ type: 'text', text }], isError: true }
}

async function runOf(
  { name, agent }: ServedAgent,
  prompt: string,
  asked: AskedState | undefined,
  { http, mcpReq }: ServerContext,
  { troupe, runOptions, answeredBy = clientOf }: McpServerOptions,
): Promise<ServedRun> {
  const authInfo = callerOf(http?.authInfo)
  const trace = readTraceContext(mcpReq._meta)
  if (asked !== undefined) {
    if (asked.agent !== name)
      throw new TroupeError('UNKNOWN_SIGNAL', `No run of "${name}" waits for this answer.`)
    const by = await askUser(
      'answeredBy of mcpServer',
      () => answeredBy({ agent: name, authInfo }),
      nameOrNothing,
    )
    const run = await troupe.resume(asked.runId, trace)
    await answer(run, asked.questions, mcpReq.inputResponses ?? {}, by)
    return run
  }
  const options = await runOptionsOf('mcpServer', runOptions, { agent: name, prompt, authInfo })
  return troupe.start(agent, prompt, withTrace(trace, options))
}

function clientOf({ authInfo }: McpAnswering): string | undefined {
  return authInfo?.clientId
}

/** Without the access token itself. */
function callerOf(authInfo: NonNullable<ServerContext['http']>['authInfo']): McpAuthInfo | undefined {
  if (authInfo === undefined) return undefined
  const { clientId, scopes, extra } = authInfo
  return { clientId, scopes, extra }
}

/**
 * Passes the answers to `questions` on. An answer that came too late, since another person was faster or the call asks another
 * question by now, changes nothing.
 */
async function answer(
  run: ServedRun,
  questions: readonly string[],
  responses: Readonly<Record<string, unknown>>,
  by: string | undefined,
): Promise<void> {
  const idle = await run.whenIdle
  if (idle.outcome !== 'suspended') return
  const signals = idle.awaiting
    .filter((awaited) => questions.includes(digestOfQuestion(awaited)))
    .flatMap((awaited) => signalOf(awaited, responses) ?? [])
  for (const signal of signals) {
    try {
      await run.signal(by === undefined || signal.type === 'cancel' ? signal : { ...signal, by })
    } catch (error) {
      if (!(error instanceof SignalError)) throw error
    }
  }
}

async function followed(
  run: ServedRun,
  { name }: ServedAgent,
  after: number,
  call: ServerContext,
  { options, report, sign, canAsk }: Serving,
): Promise<Answer> {
  const { signal } = call.mcpReq
  const cancel = (): void => {
    run.cancel('The client cancelled the call.').catch((error: unknown) => {
      if (error instanceof SignalError) return // it has ended meanwhile
      const message = 'a run whose client cancelled its call could not be cancelled'
      report({ message, code: 'AGENT_CALL_NOT_CANCELLED', where: 'request', error, runId: run.id })
    })
  }
  const reports = reportProgress(run, after, sendProgress(call))
  if (signal.aborted) cancel()
  signal.addEventListener('abort', cancel)
  try {
    const idle: RunResult = await run.whenIdle
    if (idle.outcome !== 'suspended') {
      return answerOf(idle, await deliveredFiles(idle.files, options.troupe.blobs))
    }
    if (!canAsk(call)) return waiting(idle)
    const questions = idle.awaiting.map(digestOfQuestion)
    return await asking(idle, { agent: name, runId: run.id, questions, after: reports.last() }, call, sign)
  } finally {
    signal.removeEventListener('abort', cancel)
    reports.stop()
  }
}

async function asking(
  { awaiting }: SuspendedResult,
  state: AskedState,
  call: ServerContext,
  sign: Serving['sign'],
): Promise<InputRequiredResult> {
  return {
    resultType: 'input_required',
    inputRequests: questionsOf(awaiting) as InputRequiredResult['inputRequests'],
    requestState: await sign(state, call),
  }
}

/** `undefined` for a client that wants no progress. */
function sendProgress({ mcpReq }: ServerContext): SendProgress | undefined {
  const { progressToken } = isRecord(mcpReq._meta) ? mcpReq._meta : {}
  if (typeof progressToken !== 'string' && typeof progressToken !== 'number') return undefined
  return (progress, message) =>
    mcpReq.notify({
      method: 'notifications/progress',
      params: { progressToken, progress, message: message.toWellFormed() },
    })
}
