/**
 * The events of one run and their readers. Events with a `seq` are kept; streamed events go straight to the current
 * readers. A reader may start from the beginning or from now, and a slow one never blocks the run.
 */
import { EventReader } from './event-reader.ts'
import type { ModelCallEnd, RunEvent, StreamedEvent } from './run-event.ts'

export class EventLog {
  readonly #events: RunEvent[] = []
  readonly #readers = new Set<EventReader>()
  /** Tool calls that have ended: progress that still comes is late. */
  readonly #endedCalls = new Set<string>()
  #hasEnded = false
  /** The number of events published since the log was rewound: those that it holds already are dropped. */
  #told = 0
  /** The place of the first event that readers do not get yet. */
  #heldFrom: number | undefined

  get hasEnded(): boolean {
    return this.#hasEnded
  }

  /** A reader has not read to the end. */
  get hasReaders(): boolean {
    return this.#readers.size > 0
  }

  get nextSeq(): number {
    return this.#told + 1
  }

  /** The run is replayed from its journal, and publishes its events again. */
  rewind(): void {
    this.#told = 0
  }

  publish(event: RunEvent): void {
    this.#told++
    if (this.#told <= this.#events.length) return
    this.#events.push(event)
    if (this.#heldFrom === undefined) this.#tell(event)
  }

  #tell(event: RunEvent): void {
    if (event.type === 'tool-result' || event.type === 'tool-error') {
      this.#endedCalls.add(event.payload.toolCallId)
    }
    for (const reader of this.#readers) reader.take(event)
  }

  /** Readers get the events from the next one on only after `release`. */
  hold(): void {
    this.#heldFrom ??= this.#events.length
  }

  release(): void {
    const held = this.#heldFrom === undefined ? [] : this.#events.slice(this.#heldFrom)
    this.#heldFrom = undefined
    for (const event of held) this.#tell(event)
  }

  /** Passes on an event that the journal does not keep. `isFirst`: of its message and type, or of its call. */
  stream(event: StreamedEvent, isFirst: boolean): void {
    if (event.type === 'tool-progress' && this.#endedCalls.has(event.payload.toolCallId)) return
    for (const reader of this.#readers) reader.takeStreamed(event, isFirst)
  }

  /** A model call has ended: readers may have seen deltas of its message, or of another attempt at it. */
  conclude(end: ModelCallEnd): void {
    for (const reader of this.#readers) reader.conclude(end)
  }

  end(): void {
    this.release()
    this.#hasEnded = true
    for (const reader of this.#readers) reader.finish()
    this.#readers.clear()
  }

  read(from: 'start' | 'now' = 'start'): AsyncIterableIterator<RunEvent> {
    const reader = new EventReader(from === 'start' ? this.#events.slice(0, this.#heldFrom) : [], () =>
      this.#readers.delete(reader),
    )
    if (this.#hasEnded) reader.finish()
    else this.#readers.add(reader)
    return reader
  }

  /** The events from a position on, from 0. */
  slice(from: number): RunEvent[] {
    return this.#events.slice(from)
  }

  toArray(): RunEvent[] {
    return this.#events.slice()
  }
}
