/** The events of a run as server-sent events: the id is the cursor, the data is the event without it. */
import type { RunEvent } from '../../index.ts'
import { type Call, assertNames } from '../../kit/wire/index.ts'
import { runStream, watchFrom } from '../serving/run-stream.ts'
import type { Serving } from '../serving/serving.ts'
import type { SseEvent } from '../stream/sse.ts'

/** A reader goes on behind `Last-Event-ID`, which an `EventSource` sends by itself, or behind `after` of the query. */
export async function streamEvents(serving: Serving, { request, url, named }: Call): Promise<Response> {
  const { run } = await serving.gate.toRun(request, 'read', named['id'] ?? '')
  assertNames(url.searchParams, ['after'])
  const after = request.headers.get('last-event-id') ?? url.searchParams.get('after') ?? undefined
  return runStream(serving, {
    request,
    run,
    watch: watchFrom(serving, run.runId, after),
    write,
    failure: (error) => ({ event: 'failure', data: error }),
  })
}

async function* write(events: AsyncIterable<RunEvent>): AsyncGenerator<SseEvent, void> {
  for await (const { cursor, ...event } of events) {
    yield { ...(cursor === undefined ? {} : { id: cursor }), data: event }
  }
}
