/**
 * The wire of `useChat` of the AI SDK. The chat is the conversation of its runs; each answer of the assistant is a run, and
 * has its id.
 *
 *     POST   /agents/:agent/chat             start, or answer and read    a message of the user, or answers to approvals → a UI message stream
 *     GET    /agents/:agent/chat/:id/stream  read                         ?runId; the stream of the run that is under way; 204: there is none
 *     POST   /agents/:agent/chat/:id/cancel  read, cancel                 { runId?, reason? } → 204; cancels the run that is under way
 */
import type { RunEvent, RunSignal, RunWatch } from '../../index.ts'
import {
  type Call,
  type Route,
  aRunId,
  assertNames,
  emptyResponse,
  incoming,
  readAs,
  readBody,
  untilWaiting,
} from '../../kit/wire/index.ts'
import type { Access, ServedRun } from '../access/authorize.ts'
import { narrowed } from '../access/gate.ts'
import { fileAddress } from '../files/route.ts'
import { answerRun } from '../serving/answer-run.ts'
import { runStream, watchFrom } from '../serving/run-stream.ts'
import type { Serving } from '../serving/serving.ts'
import { agentToStart, startRun } from '../serving/start-run.ts'
import { cancelRoute } from '../serving/cancel-chat.ts'
import { ClientCalls, clientCallsOf } from '../serving/client-tools.ts'
import { sseDone, type SseEvent } from '../stream/sse.ts'
import { assertPrompt } from '../troupe-wire/start.ts'
import { readChat, type CallOutput, type ChatRequest } from './chat-request.ts'
import { toChunks } from './to-chunks.ts'

export function aiSdkWire(serving: Serving): readonly Route[] {
  return [
    { method: 'POST', path: '/agents/:agent/chat', answer: (call) => chat(serving, call) },
    { method: 'GET', path: '/agents/:agent/chat/:id/stream', answer: (call) => resume(serving, call) },
    cancelRoute(serving, '/agents/:agent/chat/:id/cancel'),
  ]
}

async function chat(serving: Serving, call: Call): Promise<Response> {
  const { request, named } = call
  const body = readChat(
    await readBody(incoming(request), { bytes: serving.options.maxBodyBytes }),
    serving.options.base,
  )
  const agent = named['agent'] ?? ''
  if (body.type === 'answers') return answer(serving, call, body)
  const { prompt, chatId: conversationId, input, tools } = body
  const permitted = await agentToStart(serving, request, agent)
  assertPrompt(prompt)
  const { run } = await startRun(serving, {
    request,
    ...permitted,
    prompt,
    conversationId,
    ...(input === undefined ? {} : { input }),
    ...(tools === undefined ? {} : { tools }),
  })
  return stream(serving, request, fromBeginning(serving, run))
}

type Answers = Extract<ChatRequest, { readonly type: 'answers' }>

/** A page sends all outputs that it has: only those of calls that wait for one are answers. */
async function answer(
  serving: Serving,
  { request, named }: Call,
  { runId, after, approvals, outputs }: Answers,
): Promise<Response> {
  const signals = ({ by }: Access, { awaiting }: ServedRun): RunSignal[] =>
    [...approvals, ...outputs.flatMap((output) => (waits(output, awaiting) ? [output.signal] : []))].map(
      (signal) => (by === undefined ? signal : { ...signal, by }),
    )
  const asked = { request, agent: named['agent'] ?? '', runId, after, signals }
  const answered = await answerRun(serving, asked)
  return stream(serving, request, answered, await clientCallsOf(serving, runId))
}

/** A question that was asked since the page has seen the call is another one. */
function waits({ toolCallId, since = Infinity }: CallOutput, awaiting: ServedRun['awaiting']): boolean {
  return awaiting.some(
    (question) =>
      question.toolCallId === toolCallId && question.type === 'suspension' && question.since <= since,
  )
}

/** With `runId` the page has the run that it names, also one that has ended; without, the last one that has not. */
async function resume(serving: Serving, { request, url, named }: Call): Promise<Response> {
  const allowed = await serving.gate.toList(request, 'runs')
  assertNames(url.searchParams, ['runId'])
  const wanted = url.searchParams.get('runId')
  const filter = narrowed(allowed, {
    conversationId: named['id'] ?? '',
    agent: named['agent'] ?? '',
    limit: 1,
    ...(wanted === null ? {} : { runId: readAs(() => aRunId(wanted, 'chat: runId')) as string }),
  })
  const { items } = filter === undefined ? { items: [] } : await serving.service.runs(filter)
  const runId = items[0]?.runId
  if (runId === undefined) return emptyResponse()
  const { run } = await serving.gate.toRun(request, 'read', runId)
  return run.status === 'ended' && wanted === null
    ? emptyResponse()
    : stream(serving, request, fromBeginning(serving, run))
}

interface Watched {
  readonly run: ServedRun
  readonly watch: RunWatch
}

function fromBeginning(serving: Serving, run: ServedRun): Watched {
  return { run, watch: watchFrom(serving, run.runId, undefined) }
}

async function stream(
  serving: Serving,
  request: Request,
  { run, watch }: Watched,
  clientCalls = new ClientCalls(),
): Promise<Response> {
  const { runId } = run
  async function* write(events: AsyncIterable<RunEvent>): AsyncGenerator<SseEvent, void> {
    const addressOf = (ref: string): string => fileAddress(serving.options.base, runId, ref)
    const read = untilWaiting(events, serving.service)
    for await (const chunk of toChunks(read, { runId, addressOf, clientCalls })) yield { data: chunk }
  }
  const failure = ({ message }: { readonly message: string }): SseEvent => ({
    data: { type: 'error', errorText: message },
  })
  const response = await runStream(serving, { request, run, watch, write, failure, last: sseDone })
  response.headers.set('x-vercel-ai-ui-message-stream', 'v1')
  return response
}
