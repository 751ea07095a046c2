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
  const { options: settings } = serving
  const { request, run, watch, failure } = options
  await watch.ready
  const events = watch[Symbol.asyncIterator]()
  const [first, isOver] = await firstOf(events, run)
  if (isOver) return emptyResponse()
  const texts = textsOf(events, first, options, serving)
  const stream = textStream(texts, {
    heartbeat: settings.heartbeat,
    beat: sseHeartbeat,
    readerTimeout: settings.readerTimeout,
    signal: request.signal,
    failed: (error) => {
      if (error instanceof TroupeError && error.code === 'TROUPE_CLOSED') return undefined // it comes back elsewhere
      const refusal = refusalOf(error) ?? serverFailure(error)
      const { runId } = run
      serving.report({ message: 'the events of a run could not be streamed', where: 'request', error, runId })
      return sseText(failure({ code: refusal.code, message: refusal.message }))
    },
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
  { write }: RunStreamOptions,
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
  }
  return leavable(texts(), async () => events.return?.())
}
