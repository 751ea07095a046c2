/**
 * The events of one run and their readers. Events with a `seq` are kept; streamed events go straight to the current
 * readers. A reader starts from the beginning, or goes on behind a cursor; one that comes in the midst of a message gets
 * the text so far at once. A slow reader never blocks the run.
 */
import { SparseMap, SparseSet } from '../../actors/values/sparse.ts'
import { ReaderPosition } from './cursor.ts'
import { EventReader, type RecordedEvent } from './event-reader.ts'
import { JournalPart } from './journal-part.ts'
import { OpenMessages } from './open-messages.ts'
import type { EventPlace, ModelCallEnd, RunEvent, StreamedEvent } from './run-event.ts'
import { Piece, type StreamedText } from './streamed-text.ts'

/** How a reader reads. */
export interface ReadOptions {
  /** Where it goes on. Default: from the first event on. */
  readonly position?: ReaderPosition
  /** The reader is no caller of the run: nothing is kept in memory for it. Default: `false`. */
  readonly isObserver?: boolean
}

export class EventLog {
  /** The journal of the run; on Restate that of its root agent. */
  readonly journal = new JournalPart()
  readonly #recorded: RecordedEvent[] = []
  readonly #readers = new SparseSet<EventReader>()
  readonly #observers = new SparseSet<EventReader>()
  /** The messages that are under way, for readers that come in their midst. */
  readonly #messages = new OpenMessages()
  /** By journal, the place of its last event. */
  readonly #last = new SparseMap<string, EventPlace>()
  /** Tool calls that have ended: progress that still comes is late. */
  readonly #endedCalls = new SparseSet<string>()
  /** What was streamed last. */
  #lastPiece: Piece | undefined
  #hasEnded = false
  /** How many events the last slice ended with, and the place there. */
  #sliced: { readonly length: number; readonly position: ReaderPosition } | undefined
  /** The number of events published since the log was rewound: those that it holds already are dropped. */
  #told = 0
  /** The place of the first event that readers do not get yet. */
  #heldFrom: number | undefined

  get hasEnded(): boolean {
    return this.#hasEnded
  }

  /** Whether it has the event that ends the run. */
  get isFinal(): boolean {
    return this.#recorded.at(-1)?.event.final === true
  }

  /** A caller of the run has not read to the end. */
  get hasReaders(): boolean {
    return this.#readers.size > this.#observers.size
  }

  /** An observer of the run has not read to the end. */
  get hasObservers(): boolean {
    return this.#observers.size > 0
  }

  get nextSeq(): number {
    return this.#told + 1
  }

  /** The run is replayed from its journal, and publishes its events again. */
  rewind(): void {
    this.#told = 0
  }

  /** `entry`: the position in the journal of the entry that led to the event. `part`: whose journal it is. */
  publish(event: RunEvent, entry: number, part = this.journal): void {
    this.#told++
    if (this.#told <= this.#recorded.length) return
    const recorded = { event, place: this.#placeOf(entry, part) }
    this.#recorded.push(recorded)
    if (this.#heldFrom === undefined) this.#tell(recorded)
  }

  #tell(recorded: RecordedEvent): void {
    const { event } = recorded
    if (event.type === 'tool-result' || event.type === 'tool-error') {
      this.#endedCalls.add(event.payload.toolCallId)
    }
    if (!this.#messages.isEmpty) {
      exhaust(this.#messages.endedBy(event))
      exhaust(this.#messages.begunAnew(event))
      exhaust(this.#messages.remaining(event))
    }
    for (const reader of this.#readers) reader.take(recorded)
  }

  #placeOf(entry: number, part: JournalPart): EventPlace {
    const last = this.#last.get(part.path)
    const place = { part, entry, nth: last?.entry === entry ? last.nth + 1 : 0 }
    this.#last.set(part.path, place)
    return place
  }

  /** Readers get the events from the next one on only after `release`. */
  hold(): void {
    this.#heldFrom ??= this.#recorded.length
  }

  release(): void {
    const held = this.#heldFrom === undefined ? [] : this.#recorded.slice(this.#heldFrom)
    this.#heldFrom = undefined
    for (const recorded of held) this.#tell(recorded)
  }

  /** Passes on an event that the journal does not keep. `isFirst`: of its message and type, or of its call. */
  stream(event: StreamedEvent, isFirst: boolean): void {
    if (event.type === 'tool-progress' && this.#endedCalls.has(event.payload.toolCallId)) return
    const piece = new Piece(event, this.#heard(event, isFirst))
    this.#lastPiece?.link(piece)
    this.#lastPiece = piece
    for (const reader of this.#readers) reader.takeStreamed(piece, isFirst)
  }

  /** The text of its message up to there; `undefined`: the event has none. */
  #heard(event: StreamedEvent, isFirst: boolean): StreamedText | undefined {
    if (event.type !== 'text-delta' && event.type !== 'reasoning-delta') return undefined
    if (isFirst) exhaust(this.#messages.begin(event))
    this.#messages.add(event)
    return this.#messages.textOf(event)
  }

  /** A model call has ended: readers may have seen deltas of its message, or of another attempt at it. */
  conclude(end: ModelCallEnd): void {
    if (!this.#messages.isEmpty) exhaust(this.#messages.conclude(end))
    for (const reader of this.#readers) reader.conclude(end)
  }

  /** The run has come to its end, or cannot be followed here any more; then observers go on in another log. */
  end(): void {
    this.release()
    this.#hasEnded = true
    this.#lastPiece = undefined
    for (const reader of this.#readers) this.#finish(reader, this.#observers.has(reader))
    this.#readers.clear()
    this.#observers.clear()
  }

  #finish(reader: EventReader, isObserver: boolean): void {
    if (isObserver && !this.isFinal) reader.leave()
    else reader.finish()
  }

  read({ position = new ReaderPosition(), isObserver = false }: ReadOptions = {}): EventReader {
    const open = this.#hasEnded ? [] : this.#messages.open
    const reader = new EventReader({
      past: this.#recorded,
      length: this.#heldFrom ?? this.#recorded.length,
      open,
      position,
      onClose: () => this.#close(reader),
    })
    if (this.#hasEnded) {
      this.#finish(reader, isObserver)
      return reader
    }
    this.#readers.add(reader)
    if (isObserver) this.#observers.add(reader)
    return reader
  }

  /** Takes the observers away: the run goes on in another log. */
  dismissObservers(): void {
    for (const observer of this.#observers) {
      this.#close(observer)
      observer.leave()
    }
  }

  #close(reader: EventReader): void {
    this.#readers.delete(reader)
    this.#observers.delete(reader)
  }

  /** The events from a position on, from 0, each with its cursor. */
  slice(from: number): RunEvent[] {
    const { length, position } =
      this.#sliced !== undefined && from >= this.#sliced.length
        ? this.#sliced
        : { length: 0, position: new ReaderPosition() }
    for (const { event, place } of this.#recorded.slice(length, from)) {
      position.moveTo(place)
      position.hear(event)
    }
    this.#sliced = { length: this.#recorded.length, position }
    return this.#recorded.slice(from).map(({ event, place }) => {
      position.moveTo(place)
      position.hear(event)
      return { ...event, cursor: position.cursor(event.runId) }
    })
  }

  toArray(): RunEvent[] {
    return this.#recorded.map(({ event }) => event)
  }

  /** The events as a reader from the beginning gets them. */
  withCursors(): RunEvent[] {
    return this.slice(0)
  }
}

/** Runs the generator for its change of state alone. */
function exhaust(events: Iterable<unknown>): void {
  for (const _ of events);
}
