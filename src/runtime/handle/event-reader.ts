/**
 * One reader of the events of a run: it waits for the next event, and hands each with its cursor. The events of the past
 * stay in the log; newer ones wait in a queue. While its reader is slow, streamed events are coalesced: pieces of the
 * same message or call are joined, and of the progress of a call the newest is kept.
 */
import type { OpenMessage, OpenMessages } from './open-messages.ts'
import type { EventPlace, ModelCallEnd, RunEvent } from './run-event.ts'
import type { Piece, StreamedText } from './streamed-text.ts'

/** An event that is derived from the journal, with its place. */
export interface RecordedEvent {
  readonly event: RunEvent
  readonly place: EventPlace
}

type Item =
  | ({ readonly type: 'recorded' } & RecordedEvent)
  /** From the first to the last piece that wait. `isFirst`: the first of its message or call. */
  | { readonly type: 'streamed'; readonly first: Piece; readonly last: Piece; readonly isFirst: boolean }
  | { readonly type: 'concluded'; readonly end: ModelCallEnd }
  /** A message that was under way when the reader came. */
  | { readonly type: 'open'; readonly message: OpenMessage }
  | { readonly type: 'over' }

/** The number of waiting events from which on a call has one waiting report of progress. */
const mostWaiting = 1_000

/** The place of a reader in the events of a run. */
interface Position {
  readonly messages: OpenMessages
  /** Whether the event at a place has not been handed to the reader. */
  isBefore(place: EventPlace): boolean
  moveTo(place: EventPlace): void
  hear(event: RunEvent, whole?: StreamedText): void
  cursor(runId: string): string
}

export interface ReaderOptions {
  /** The events of the log. */
  readonly past: readonly RecordedEvent[]
  /** How many of them the reader may have; those after them come by `take`. */
  readonly length: number
  /** The messages that are under way. */
  readonly open: readonly OpenMessage[]
  /** Where the reader goes on; it moves with the reader. */
  readonly position: Position
  readonly onClose: () => void
}

export class EventReader implements AsyncIterableIterator<RunEvent> {
  readonly #position: Position
  readonly #past: readonly RecordedEvent[]
  readonly #pastLength: number
  #nextPast = 0
  #queue: Item[]
  #next = 0
  /** The events of the item that was taken last. */
  #telling: Iterator<RunEvent, void> = none()
  /** The text of the message of that item up to there, which all readers share. */
  #whole: StreamedText | undefined
  #waiting: (() => void)[] = []
  #isFinished = false
  readonly #onClose: () => void
  /** Calls whose first delta this reader saw, by message and id. */
  readonly #calls = new Set<string>()
  /** The place in the queue of the last report of progress, by call. */
  readonly #progress = new Map<string, number>()

  constructor({ past, length, open, position, onClose }: ReaderOptions) {
    this.#past = past
    this.#pastLength = length
    this.#queue = open.map((message) => ({ type: 'open', message }))
    this.#position = position
    this.#onClose = onClose
  }

  take(recorded: RecordedEvent): void {
    this.#push({ type: 'recorded', ...recorded })
  }

  takeStreamed(piece: Piece, isFirst: boolean): void {
    if (piece.event.type === 'tool-progress') this.#report(piece, piece.event.payload.toolCallId)
    else if (!isFirst && this.#joins(piece)) return
    else this.#push({ type: 'streamed', first: piece, last: piece, isFirst })
  }

  conclude(end: ModelCallEnd): void {
    this.#push({ type: 'concluded', end })
  }

  /** The run has come to its end here. */
  finish(): void {
    this.#push({ type: 'over' })
    this.leave()
  }

  /** The reader ends with the events that wait; messages stay open, for another log goes on with them. */
  leave(): void {
    this.#isFinished = true
    this.#wake()
  }

  /** Joins a piece to the last item, where that waits and ends with the piece before. */
  #joins(piece: Piece): boolean {
    const item = this.#queue.at(-1)
    const isWaiting = this.#next < this.#queue.length
    if (!isWaiting || item?.type !== 'streamed' || !item.last.isBefore(piece)) return false
    this.#queue[this.#queue.length - 1] = { ...item, last: piece }
    return true
  }

  #report(piece: Piece, toolCallId: string): void {
    const place = this.#progress.get(toolCallId) ?? -1
    const isCrowded = this.#queue.length - this.#next > mostWaiting
    const item = { type: 'streamed', first: piece, last: piece, isFirst: false } as const
    if (isCrowded && place >= this.#next) {
      this.#queue[place] = item
      return
    }
    this.#progress.set(toolCallId, this.#queue.length)
    this.#push(item)
  }

  #push(item: Item): void {
    this.#queue.push(item)
    this.#wake()
  }

  /** Each call of `next` waits on its own: a caller may call it again before the first call resolves. */
  #wake(): void {
    const waiting = this.#waiting
    this.#waiting = []
    for (const wake of waiting) wake()
  }

  async next(): Promise<IteratorResult<RunEvent, undefined>> {
    for (;;) {
      const event = this.#tell()
      if (event !== undefined) return { done: false, value: event }
      if (this.#isFinished) return { done: true, value: undefined }
      await new Promise<void>((resolve) => this.#waiting.push(resolve))
    }
  }

  #tell(): RunEvent | undefined {
    for (;;) {
      const told = this.#telling.next()
      if (told.done !== true) return this.#withCursor(told.value)
      const item = this.#taken()
      if (item === undefined) return undefined
      this.#whole = undefined
      this.#telling = this.#eventsOf(item)
    }
  }

  #withCursor(event: RunEvent): RunEvent {
    this.#position.hear(event, this.#whole)
    return { ...event, cursor: this.#position.cursor(event.runId) }
  }

  #taken(): Item | undefined {
    while (this.#nextPast < this.#pastLength) {
      const recorded = this.#past[this.#nextPast++]
      if (recorded !== undefined) return { type: 'recorded', ...recorded }
    }
    if (this.#next < this.#queue.length) return this.#queue[this.#next++]
    this.#clear()
    return undefined
  }

  *#eventsOf(item: Item): Generator<RunEvent, void> {
    const { messages } = this.#position
    switch (item.type) {
      case 'recorded': {
        if (!this.#position.isBefore(item.place)) return
        yield* messages.endedBy(item.event)
        yield* messages.begunAnew(item.event)
        // A reader that leaves before the event itself is told gets to it again.
        for (const event of messages.remaining(item.event)) {
          this.#position.moveTo(item.place)
          yield event
        }
        return
      }
      case 'streamed':
        return yield* this.#streamed(item)
      case 'concluded': {
        const { messageId } = item.end
        for (const call of this.#calls) if (call.startsWith(`${messageId} `)) this.#calls.delete(call)
        return yield* messages.conclude(item.end)
      }
      case 'open':
        return yield* messages.catchUp(item.message)
      case 'over':
        return yield* messages.endAll()
    }
  }

  *#streamed({ first, last, isFirst }: Extract<Item, { type: 'streamed' }>): Generator<RunEvent, void> {
    let begins = isFirst
    for (const piece of first.joined(last)) {
      yield* this.#piece(piece, begins)
      begins = false
    }
  }

  *#piece({ event, whole }: Piece, isFirst: boolean): Generator<RunEvent, void> {
    this.#whole = whole
    switch (event.type) {
      case 'tool-progress':
        yield event
        return
      case 'tool-call-delta': {
        const call = `${event.messageId} ${event.payload.toolCallId}`
        if (isFirst) this.#calls.add(call)
        // A reader that joined in the midst of the arguments gets them whole, with the call.
        if (this.#calls.has(call)) yield event
        return
      }
      case 'text-delta':
      case 'reasoning-delta': {
        if (isFirst) yield* this.#position.messages.begin(event)
        const delta = this.#position.messages.add(event, whole)
        if (delta !== undefined) yield delta
      }
    }
  }

  async return(): Promise<IteratorResult<RunEvent, undefined>> {
    this.#onClose()
    this.#nextPast = this.#pastLength
    this.#telling = none()
    this.#whole = undefined
    this.#clear()
    this.leave()
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

function* none(): Generator<RunEvent, void> {}
