/**
 * The wire of AG-UI, the protocol between agents and pages. A thread is the conversation of its runs.
 *
 *     POST   /agents/:agent/run    start, or answer and read    RunAgentInput → server-sent events of AG-UI
 */
import type { RunEvent, RunWatch } from '../../index.ts'
import { type Call, type Route, incoming, readBody, untilWaiting } from '../../kit/wire/index.ts'
import type { ServedRun } from '../access/authorize.ts'
import { answerRun } from '../serving/answer-run.ts'
import { runStream, watchFrom } from '../serving/run-stream.ts'
import type { Serving } from '../serving/serving.ts'
import { agentToStart, startRun } from '../serving/start-run.ts'
import type { SseEvent } from '../stream/sse.ts'
import type { AgUiEvent, ClientRun } from './events.ts'
import { readInput, type AgUiRequest } from './input.ts'
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
  ]
}

/** The run has the id that the client has chosen: a start that is sent again streams the run that is there. */
async function start(serving: Serving, { request, named }: Call, asked: Start): Promise<Response> {
  const { client, prompt, input } = asked
  const permitted = await agentToStart(serving, request, named['agent'] ?? '')
  const { run } = await startRun(serving, {
    request,
    ...permitted,
    prompt,
    runId: client.runId,
    conversationId: client.threadId,
    ...(input === undefined ? {} : { input }),
  })
  return stream(serving, { request, run, client, watch: watchFrom(serving, run.runId, undefined) })
}

async function resume(serving: Serving, { request, named }: Call, asked: Resume): Promise<Response> {
  const { client, answers } = asked
  const { runId = '', after } = answers[0]?.asked ?? {}
  const answering = await answerRun(serving, {
    request,
    agent: named['agent'] ?? '',
    runId,
    after,
    signals: (access) => answers.map((answer) => signalOf(answer, access)),
  })
  const answered = answers.map(({ asked: { toolCallId } }) => toolCallId)
  return stream(serving, { request, client, answered, ...answering })
}

interface StreamOptions {
  readonly request: Request
  readonly run: ServedRun
  readonly client: ClientRun
  readonly watch: RunWatch
  readonly answered?: readonly string[]
}

function stream(serving: Serving, options: StreamOptions): Promise<Response> {
  const { request, run, client, watch, answered } = options
  const { runId } = run
  async function* write(events: AsyncIterable<RunEvent>): AsyncGenerator<SseEvent, void> {
    const read = untilWaiting(withoutAnswered(events, answered), serving.service)
    for await (const event of toEvents(read, runId, client)) yield { data: event }
  }
  return runStream(serving, { request, run, watch, write, failure: (error) => ({ data: runError(error) }) })
}

function runError({ code, message }: { readonly code: string; readonly message: string }): AgUiEvent {
  return { type: 'RUN_ERROR', message, code }
}
