/** Streams of the events of a run, as any wire writes them. A reader that leaves changes nothing of the run. */
import { type RunEvent, type RunWatch, TroupeError } from '../../index.ts'
import {
  leavable,
  emptyResponse,
  readAs,
  refusalOf,
  serverFailure,
  streamResponse,
  textStream,
} from '../../kit/wire/index.ts'
import type { ServedRun } from '../access/authorize.ts'
import { sseHeartbeat, sseRetry, sseText, type SseEvent } from '../stream/sse.ts'
import type { Serving } from './serving.ts'

export interface RunStreamOptions {
  readonly request: Request
  readonly run: ServedRun
  /** Of `watchFrom`. */
  readonly watch: RunWatch
  /** The events of the stream; it may end before the run does. */
  readonly write: (events: AsyncIterable<RunEvent>) => AsyncGenerator<SseEvent, void>
  /** The last event of a stream that fails. */
  readonly failure: (error: { readonly code: string; readonly message: string }) => SseEvent
  /** The text behind the last event. Default: none. */
  readonly last?: string
}

/**
 * The events of a run behind the last one that its reader has, by its cursor; nothing is read yet. Throws a `RefusedRequest`
 * for a wrong cursor.
 */
export function watchFrom({ service }: Serving, runId: string, after: string | undefined): RunWatch {
  return readAs(() => service.watch(runId, after === undefined ? {} : { after }))
}

/**
 * A stream of server-sent events. For a reader that has all events of an ended run the answer is the status 204, by which an
 * `EventSource` does not come back. Rejects as `ready` of a watch does.
 */
export async function runStream(serving: Serving, options: RunStreamOptions): Promise<Response> {
  const { request, run, watch, failure, last = '' } = options
  await watch.ready
  const events = watch[Symbol.asyncIterator]()
  const [first, isOver] = await firstOf(events, run)
  if (isOver) return emptyResponse()
  const texts = textsOf(events, first, options, serving)
  return eventStream(serving, request, texts, (error) => {
    const refusal = refusalOf(error) ?? serverFailure(error)
    const { runId } = run
    serving.report({
      message: 'the events of a run could not be streamed',
      code: 'RUN_STREAM_FAILED',
      where: 'request',
      error,
      runId,
    })
    return sseText(failure({ code: refusal.code, message: refusal.message })) + last
  })
}

/** The answer of texts that are server-sent events. `failed`: the last text where they fail. */
export function eventStream(
  { options: { heartbeat, readerTimeout } }: Serving,
  request: Request,
  texts: AsyncIterator<string>,
  failed: (error: unknown) => string,
): Response {
  const stream = textStream(texts, {
    heartbeat,
    beat: sseHeartbeat,
    readerTimeout,
    signal: request.signal,
    request,
    failed: (error) =>
      // A reader comes back elsewhere.
      error instanceof TroupeError && error.code === 'TROUPE_CLOSED' ? undefined : failed(error),
  })
  return streamResponse(stream, 'text/event-stream; charset=utf-8')
}

type Events = ReturnType<RunWatch[typeof Symbol.asyncIterator]>

/** The first event of an ended run is there at once, if the reader lacks one; that of another run is not waited for. */
async function firstOf(
  events: Events,
  { status }: ServedRun,
): Promise<readonly [RunEvent | undefined, boolean]> {
  if (status !== 'ended') return [undefined, false]
  const next = await events.next()
  return next.done === true ? [undefined, true] : [next.value, false]
}

function textsOf(
  events: Events,
  first: RunEvent | undefined,
  { write, last }: RunStreamOptions,
  { served, options: { retry } }: Serving,
): AsyncIterator<string> {
  async function* all(): AsyncGenerator<RunEvent, void> {
    if (first !== undefined) yield served(first)
    for (let next = await events.next(); next.done !== true; next = await events.next())
      yield served(next.value)
  }
  async function* texts(): AsyncGenerator<string, void> {
    yield sseRetry(retry)
    for await (const event of write(all())) yield sseText(event)
    if (last !== undefined) yield last
  }
  return leavable(texts(), async () => events.return?.())
}
