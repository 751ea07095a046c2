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
  readonly log: Pick<EventLog, 'read'>
  readonly result: Promise<FinalResult>
  readonly whenIdle: Promise<RunResult>
  /** `make` throws a `SignalError` for malformed arguments. */
  tell(make: () => RunSignal): Promise<void>
}

/**
 * A class: an object that a literal makes for each run may be old from its beginning. A caller may spread it.
 * See docs/design/decisions/performance.md#literals-that-v8-has-seen-survive.
 */
class Iterated<Item> implements AsyncIterable<Item> {
  declare readonly [Symbol.asyncIterator]: () => AsyncIterator<Item>

  constructor(read: () => AsyncIterator<Item>) {
    // Not a field: V8 writes the name of its function anew for each object.
    ;(this as { [Symbol.asyncIterator]: () => AsyncIterator<Item> })[Symbol.asyncIterator] = read
  }
}

/** A class for the same reason. Its functions are fields: a caller may take one by itself, or list and spread them. */
class RunHandle implements Omit<Run, 'actor' | 'result' | 'whenIdle'> {
  readonly id: string
  readonly events: Run['events']
  readonly eventsAfter: Run['eventsAfter'] = (cursor) => {
    const position = (): ReaderPosition => readCursor(cursor, this.#handled.id, 'eventsAfter')
    position() // a wrong cursor is refused at once
    return { [Symbol.asyncIterator]: () => this.#handled.log.read({ position: position() }) }
  }
  readonly textStream: Run['textStream']
  readonly approve: Run['approve'] = (toolCallId, answer) =>
    this.#send(() => answerSignal({ type: 'approve', toolCallId }, answer))
  readonly deny: Run['deny'] = (toolCallId, reason, answer) =>
    this.#send(() =>
      answerSignal({ type: 'deny', toolCallId, ...(reason === undefined ? {} : { reason }) }, answer),
    )
  readonly resume: Run['resume'] = (toolCallId, data, answer) =>
    this.#send(() =>
      answerSignal({ type: 'resume', toolCallId, ...(data === undefined ? {} : { data }) }, answer),
    )
  readonly say: Run['say'] = (message, options) => this.#send(() => saySignal(message, options))
  readonly cancel: Run['cancel'] = (reason, options) => this.#send(() => cancelSignal(reason, options))
  readonly signal: Run['signal'] = (signal) => this.#send(() => signal)
  readonly #handled: Handled

  constructor(handled: Handled) {
    this.#handled = handled
    this.id = handled.id
    this.events = new Iterated(() => handled.log.read())
    this.textStream = new Iterated(() => textOf(handled.log.read(), () => handled.result))
  }

  #send(make: () => RunSignal): Promise<void> {
    return this.#handled.tell(make)
  }
}

export function handleOf(handled: Handled): Run {
  return withPresent(new RunHandle(handled), handled)
}

const withPresent = /* @__PURE__ */ ownGetters<Handled, Pick<Run, 'actor' | 'result' | 'whenIdle'>>({
  actor: ({ root }) => root,
  result: ({ result }) => result,
  whenIdle: ({ whenIdle }) => whenIdle,
})
