/**
 * The wire of AG-UI, the protocol between agents and pages. A thread is the conversation of its runs.
 *
 *     POST   /agents/:agent/run                 start, or answer and read    RunAgentInput → server-sent events of AG-UI
 *     POST   /agents/:agent/threads/:id/cancel  read, cancel                 { runId?, reason? } → 204; cancels the run that is under way
 */
import type { RunEvent, RunWatch } from '../../index.ts'
import { type Call, type Route, incoming, readBody, untilWaiting } from '../../kit/wire/index.ts'
import type { ServedRun } from '../access/authorize.ts'
import { answerRun } from '../serving/answer-run.ts'
import { cancelRoute } from '../serving/cancel-chat.ts'
import { ClientCalls, clientCallsOf } from '../serving/client-tools.ts'
import { runStream, watchFrom } from '../serving/run-stream.ts'
import type { Serving } from '../serving/serving.ts'
import { agentToStart, startRun } from '../serving/start-run.ts'
import type { SseEvent } from '../stream/sse.ts'
import type { AgUiEvent, ClientRun } from './events.ts'
import { readInput, type AgUiRequest } from './input.ts'
import { fromAnswer, isOfCall, signalsOf, type CallResult } from './results.ts'
import { signalOf, withoutAnswered } from './interrupts.ts'
import { toEvents } from './to-events.ts'

type Start = Extract<AgUiRequest, { readonly type: 'start' }>
type Resume = Extract<AgUiRequest, { readonly type: 'resume' }>

export function agUiWire(serving: Serving): readonly Route[] {
  return [
    {
      method: 'POST',
      path: '/agents/:agent/run',
      async answer(call) {
        const body = await readBody(incoming(call.request), { bytes: serving.options.maxBodyBytes })
        const read = readInput(body)
        return read.type === 'start' ? start(serving, call, read) : resume(serving, call, read)
      },
    },
    cancelRoute(serving, '/agents/:agent/threads/:id/cancel'),
  ]
}

/** The run has the id that the client has chosen: a start that is sent again streams the run that is there. */
async function start(serving: Serving, { request, named }: Call, asked: Start): Promise<Response> {
  const { client, prompt, input, tools } = asked
  const permitted = await agentToStart(serving, request, named['agent'] ?? '')
  const { run } = await startRun(serving, {
    request,
    ...permitted,
    prompt,
    runId: client.runId,
    conversationId: client.threadId,
    ...(input === undefined ? {} : { input }),
    ...(tools === undefined ? {} : { tools }),
  })
  return stream(serving, { request, run, client, watch: watchFrom(serving, run.runId, undefined) })
}

async function resume(serving: Serving, { request, named }: Call, asked: Resume): Promise<Response> {
  const { client, answers, results } = asked
  const { runId = results[0]?.runId ?? '', after } = answers[0]?.asked ?? {}
  const answering = await answerRun(serving, {
    request,
    agent: named['agent'] ?? '',
    runId,
    after,
    signals: (access, run) => [
      ...answers.map((answer) => signalOf(answer, access)),
      ...signalsOf(results, run, access),
    ],
  })
  const answered = answers.map(({ asked: { toolCallId } }) => toolCallId)
  // A result says nothing of the place up to which the page has read.
  if (answers.length === 0) return stream(serving, { request, client, results, ...answering })
  const clientCalls = await clientCallsOf(serving, runId)
  return stream(serving, { request, client, answered, clientCalls, ...answering })
}

interface StreamOptions {
  readonly request: Request
  readonly run: ServedRun
  readonly client: ClientRun
  readonly watch: RunWatch
  readonly answered?: readonly string[]
  /** The calls by whose answer the stream begins. */
  readonly results?: readonly CallResult[]
  readonly clientCalls?: ClientCalls
}

function stream(serving: Serving, options: StreamOptions): Promise<Response> {
  const { request, run, client, watch, answered, results, clientCalls = new ClientCalls() } = options
  const { runId } = run
  const hasResult = (toolCallId: string): boolean =>
    results?.some((one) => isOfCall(one, toolCallId)) === true
  async function* write(events: AsyncIterable<RunEvent>): AsyncGenerator<SseEvent, void> {
    const read =
      results === undefined
        ? withoutAnswered(events, answered)
        : fromAnswer(events, results, (event) => clientCalls.take(event))
    const waiting = untilWaiting(read, serving.service)
    for await (const event of toEvents(waiting, { runId, client, clientCalls, hasResult }))
      yield { data: event }
  }
  return runStream(serving, { request, run, watch, write, failure: (error) => ({ data: runError(error) }) })
}

function runError({ code, message }: { readonly code: string; readonly message: string }): AgUiEvent {
  return { type: 'RUN_ERROR', message, code }
}
