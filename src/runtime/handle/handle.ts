/** Makes the handle of a run: a view of the object that runs it. */
import type { AnyActorRef } from 'xstate'
import { ownGetters } from '../../actors/values/own-getters.ts'
import { readCursor, type ReaderPosition } from './cursor.ts'
import type { EventLog } from './event-log.ts'
import type { FinalResult, RunResult } from './result.ts'
import { answerSignal, cancelSignal, saySignal, type Run, type RunSignal } from './run.ts'
import { textOf } from './text-stream.ts'

/** The object that the handle is a view of. A property is read when that of the handle is. */
export interface Handled {
  readonly id: string
  readonly root: AnyActorRef
  readonly log: EventLog
  readonly result: Promise<FinalResult>
  readonly whenIdle: Promise<RunResult>
  /** `make` throws a `SignalError` for malformed arguments. */
  tell(make: () => RunSignal): Promise<void>
}

export function handleOf(handled: Handled): Run {
  const send = (make: () => RunSignal): Promise<void> => handled.tell(make)
  const handle = {
    id: handled.id,
    events: { [Symbol.asyncIterator]: () => handled.log.read() },
    eventsAfter(cursor) {
      const position = (): ReaderPosition => readCursor(cursor, handled.id, 'eventsAfter')
      position() // a wrong cursor is refused at once
      return { [Symbol.asyncIterator]: () => handled.log.read({ position: position() }) }
    },
    textStream: { [Symbol.asyncIterator]: () => textOf(handled.log.read(), () => handled.result) },
    approve: (toolCallId, answer) => send(() => answerSignal({ type: 'approve', toolCallId }, answer)),
    deny: (toolCallId, reason, answer) =>
      send(() =>
        answerSignal({ type: 'deny', toolCallId, ...(reason === undefined ? {} : { reason }) }, answer),
      ),
    resume: (toolCallId, data, answer) =>
      send(() =>
        answerSignal({ type: 'resume', toolCallId, ...(data === undefined ? {} : { data }) }, answer),
      ),
    say: (message, options) => send(() => saySignal(message, options)),
    cancel: (reason, options) => send(() => cancelSignal(reason, options)),
    signal: (signal) => send(() => signal),
  } satisfies Omit<Run, 'actor' | 'result' | 'whenIdle'>
  return withPresent(handle, handled)
}

const withPresent = /* @__PURE__ */ ownGetters<Handled, Pick<Run, 'actor' | 'result' | 'whenIdle'>>({
  actor: ({ root }) => root,
  result: ({ result }) => result,
  whenIdle: ({ whenIdle }) => whenIdle,
})
