/**
 * One reader of a watched run. It reads the log of the run where that is live in this process, and the log of a follower
 * elsewhere; when the run comes or leaves, it goes on in the other log from where it was.
 */
import type { ReaderPosition } from '../handle/cursor.ts'
import type { EventLog } from '../handle/event-log.ts'
import type { EventReader } from '../handle/event-reader.ts'
import type { RunEvent } from '../handle/run-event.ts'

/** Where the events of a run come from. */
export interface EventSource {
  readonly log: EventLog
  /** The error for which the run cannot be followed there. */
  readonly failure?: Error | undefined
  /** The reader has left. */
  release(): void
}

interface Reading {
  readonly source: EventSource
  readonly reader: EventReader
}

export class WatchReader implements AsyncIterableIterator<RunEvent> {
  readonly #position: ReaderPosition
  readonly #sourceNow: () => EventSource
  #reading: Reading | undefined
  #isOver = false

  /** `sourceNow` throws when the troupe was closed. */
  constructor(position: ReaderPosition, sourceNow: () => EventSource) {
    this.#position = position
    this.#sourceNow = sourceNow
  }

  async next(): Promise<IteratorResult<RunEvent>> {
    while (!this.#isOver) {
      const reading = (this.#reading ??= this.#open())
      const result = await reading.reader.next()
      if (result.done !== true) return result
      if (this.#reading === reading) this.#left(reading.source)
    }
    return { done: true, value: undefined }
  }

  #open(): Reading {
    try {
      const source = this.#sourceNow()
      return { source, reader: source.log.read({ position: this.#position, isObserver: true }) }
    } catch (error) {
      this.#isOver = true
      throw error
    }
  }

  /** The log has no more events: the run has ended, or cannot be followed, or has moved. */
  #left(source: EventSource): void {
    this.#reading = undefined
    source.release()
    if (source.log.isFinal) this.#isOver = true
    else if (source.failure !== undefined) {
      this.#isOver = true
      throw source.failure
    }
  }

  async return(): Promise<IteratorResult<RunEvent>> {
    this.#isOver = true
    const reading = this.#reading
    this.#reading = undefined
    await reading?.reader.return()
    reading?.source.release()
    return { done: true, value: undefined }
  }

  [Symbol.asyncIterator](): AsyncIterableIterator<RunEvent> {
    return this
  }
}
