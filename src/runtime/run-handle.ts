/** The handle of a run, over what works on it. */
import type { AnyActorRef } from 'xstate'
import type { EventLog } from './event-log.ts'
import { readSignal } from './read-signal.ts'
import type { FinalResult, RunResult } from './result.ts'
import { cancelSignal, type Run, type RunSignal } from './run.ts'
import { textOf } from './text-of.ts'

/** What the handle is a view of. Each is asked for when the handle is. */
export interface Handled {
  readonly id: string
  readonly root: AnyActorRef
  readonly log: EventLog
  readonly result: Promise<FinalResult>
  readonly whenIdle: Promise<RunResult>
  signal(signal: RunSignal): Promise<void>
}

export function handleOf(handled: Handled): Run {
  const signal = (told: RunSignal): Promise<void> => handled.signal(readSignal(told))
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
