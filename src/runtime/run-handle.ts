/** The handle of a run, over what works on it. */
import type { AnyActorRef } from 'xstate'
import type { EventLog, RunEvent } from './event-log.ts'
import type { FinalResult, RunResult } from './result.ts'
import { cancelSignal, type Run, type RunSignal } from './run.ts'

/** What the handle is a view of. Each is asked for when the handle is. */
export interface Handled {
  readonly id: string
  readonly root: AnyActorRef
  readonly log: EventLog
  readonly result: Promise<FinalResult>
  readonly whenIdle: Promise<RunResult>
  signal(signal: RunSignal): void
}

export function handleOf(handled: Handled): Run {
  const signal = (told: RunSignal): void => handled.signal(told)
  return {
    id: handled.id,
    get actor() {
      return handled.root
    },
    events: { [Symbol.asyncIterator]: () => handled.log.read() },
    textStream: { [Symbol.asyncIterator]: () => textOf(handled.log.read(), () => handled.result) },
    get result() {
      return handled.result
    },
    get whenIdle() {
      return handled.whenIdle
    },
    approve: (toolCallId) => signal({ type: 'approve', toolCallId }),
    deny: (toolCallId, reason) =>
      signal({ type: 'deny', toolCallId, ...(reason === undefined ? {} : { reason }) }),
    resume: (toolCallId, data) =>
      signal({ type: 'resume', toolCallId, ...(data === undefined ? {} : { data }) }),
    cancel: (reason, options) => signal(cancelSignal(reason, options)),
    signal,
  }
}

/** The text of the root agent among the events of a run; after a bail, the bailing agent's. */
export async function* textOf(
  events: AsyncIterable<RunEvent>,
  result: () => Promise<FinalResult>,
): AsyncGenerator<string> {
  const isOwn = (event: RunEvent): boolean => event.delegationId === undefined
  for await (const event of events) {
    if (event.type !== 'text-delta' || !isOwn(event)) continue
    yield event.payload.text
  }
  const end = await result()
  if (end.outcome === 'bailed') yield end.text
}
