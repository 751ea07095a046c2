/**
 * One reader of the events of a run: a cursor that waits for the next event. While its reader is slow, streamed events
 * are coalesced: pieces of the same message or call are joined, and of the progress of a call the newest is kept.
 */
import { OpenMessages } from './open-messages.ts'
import type { ModelCallEnd, RunEvent, StreamedEvent } from './run-event.ts'

type Progress = Extract<RunEvent, { type: 'tool-progress' }>
type Delta = Exclude<StreamedEvent, Progress>

/** The number of waiting events from which on a call has one waiting report of progress. */
const mostWaiting = 1_000

export class EventReader implements AsyncIterableIterator<RunEvent> {
  #queue: RunEvent[]
  #next = 0
  #waiting: (() => void)[] = []
  #isFinished = false
  readonly #onClose: () => void
  readonly #messages = new OpenMessages()
  /** Calls whose first delta this reader saw, by message and id. */
  readonly #calls = new Set<string>()
  /** The place in the queue of the last report of progress, by call. */
  readonly #progress = new Map<string, number>()

  constructor(queue: RunEvent[], onClose: () => void) {
    this.#queue = queue
    this.#onClose = onClose
  }

  take(event: RunEvent): void {
    for (const end of this.#messages.endedBy(event)) this.#push(end)
    const remaining = this.#messages.remaining(event)
    if (remaining !== undefined) this.#push(remaining)
  }

  takeStreamed(event: StreamedEvent, isFirst: boolean): void {
    switch (event.type) {
      case 'tool-progress':
        return this.#report(event)
      case 'tool-call-delta': {
        const call = `${event.messageId} ${event.payload.toolCallId}`
        if (isFirst) this.#calls.add(call)
        // A reader that joined in the midst of the arguments gets them whole, with the call.
        if (this.#calls.has(call)) this.#join(event)
        return
      }
      case 'text-delta':
      case 'reasoning-delta':
        if (isFirst) for (const begun of this.#messages.begin(event)) this.#push(begun)
        // A reader that joined in the midst of a message gets it as one delta.
        if (this.#messages.add(event)) this.#join(event)
    }
  }

  conclude(end: ModelCallEnd): void {
    for (const event of this.#messages.conclude(end)) this.#push(event)
    for (const call of this.#calls) if (call.startsWith(`${end.messageId} `)) this.#calls.delete(call)
  }

  finish(): void {
    for (const end of this.#messages.endAll()) this.#push(end)
    this.#isFinished = true
    this.#wake()
  }

  /** Joins a delta to the last event, where that waits and is of the same message or call. */
  #join(delta: Delta): void {
    const last = this.#queue.at(-1)
    const isWaiting = this.#next < this.#queue.length
    if (isWaiting && last !== undefined && last.seq === undefined && continues(delta, last)) {
      this.#queue[this.#queue.length - 1] = withText(delta, last.payload.text + delta.payload.text)
    } else {
      this.#push(delta)
    }
  }

  #report(event: Progress): void {
    const { toolCallId } = event.payload
    const place = this.#progress.get(toolCallId) ?? -1
    const isCrowded = this.#queue.length - this.#next > mostWaiting
    if (isCrowded && place >= this.#next) {
      this.#queue[place] = event
      return
    }
    this.#progress.set(toolCallId, this.#queue.length)
    this.#push(event)
  }

  #push(event: RunEvent): void {
    this.#queue.push(event)
    this.#wake()
  }

  /** Each call of `next` waits on its own: a caller may call it again before the first call resolves. */
  #wake(): void {
    const waiting = this.#waiting
    this.#waiting = []
    for (const wake of waiting) wake()
  }

  async next(): Promise<IteratorResult<RunEvent>> {
    while (this.#next >= this.#queue.length) {
      if (this.#isFinished) return { done: true, value: undefined }
      this.#clear()
      await new Promise<void>((resolve) => this.#waiting.push(resolve))
    }
    const value = this.#queue[this.#next++] as RunEvent
    return { done: false, value }
  }

  async return(): Promise<IteratorResult<RunEvent>> {
    this.#onClose()
    this.finish()
    this.#clear()
    return { done: true, value: undefined }
  }

  #clear(): void {
    this.#queue = []
    this.#next = 0
    this.#progress.clear()
  }

  [Symbol.asyncIterator](): AsyncIterableIterator<RunEvent> {
    return this
  }
}

function withText(delta: Delta, text: string): Delta {
  return { ...delta, payload: { ...delta.payload, text } } as Delta
}

function continues(delta: Delta, last: RunEvent): last is Delta {
  if (last.type !== delta.type || last.messageId !== delta.messageId) return false
  if (delta.type !== 'tool-call-delta' || last.type !== 'tool-call-delta') return true
  return last.payload.toolCallId === delta.payload.toolCallId
}
