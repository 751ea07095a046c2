/** A run in this process: its handle, or a troupe with the id of a run. */
import type { Run, RunEvent, RunService } from '../../index.ts'
import type { RunSource } from './run-source.ts'

/** The part of a handle that shows and answers a run. */
export type ShownRun = Pick<Run, 'id' | 'events' | 'eventsAfter' | 'signal'>

/** A run of a troupe, by its id. */
export interface ServedRun {
  readonly service: Pick<RunService, 'watch' | 'signal'>
  readonly runId: string
}

export function ownRun(run: ShownRun): RunSource {
  return localRun(
    [run, ''],
    (after) => (after === undefined ? run.events : run.eventsAfter(after)),
    (signal) => run.signal(signal),
  )
}

export function servedRun({ service, runId }: ServedRun): RunSource {
  return localRun(
    [service, runId],
    (after) => service.watch(runId, after === undefined ? {} : { after }),
    (signal) => service.signal(runId, signal),
  )
}

function localRun(
  key: RunSource['key'],
  eventsAfter: (after: string | undefined) => AsyncIterable<RunEvent>,
  send: RunSource['send'],
): RunSource {
  return {
    key,
    isRemote: false,
    async open(after, signal) {
      return { events: untilAborted(eventsAfter(after), signal), retryIn: () => undefined }
    },
    send,
  }
}

/** One event at a time; a reader that waits for one leaves at once. */
async function* untilAborted(
  events: AsyncIterable<RunEvent>,
  signal: AbortSignal,
): AsyncGenerator<readonly RunEvent[], void> {
  const reader = events[Symbol.asyncIterator]()
  signal.addEventListener('abort', () => void reader.return?.(), { once: true })
  for (let next = await reader.next(); next.done !== true; next = await reader.next()) yield [next.value]
}
