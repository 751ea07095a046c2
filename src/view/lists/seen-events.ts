/**
 * The events that a view has seen, by their `seq`. On Restate another process may count the events of the same run in another
 * order: an event is known where that number, its type, its place and its time are those of an event before.
 */
import type { RunEvent } from '../../runtime/handle/run-event.ts'

export class SeenEvents {
  static readonly none = new SeenEvents([], 0)

  /** Shared with the views that go on from this one. */
  readonly #marks: (number | undefined)[]
  /** Of the marks, those of this view. */
  readonly #length: number

  private constructor(marks: (number | undefined)[], length: number) {
    this.#marks = marks
    this.#length = length
  }

  has({ seq, ...event }: RunEvent): boolean {
    return seq !== undefined && seq < this.#length && this.#marks[seq] === markOf(event)
  }

  with({ seq, ...event }: RunEvent): SeenEvents {
    if (seq === undefined || seq < this.#length) return this
    const mark = markOf(event)
    const isNewest = this.#marks.length === this.#length
    if (!isNewest && seq === this.#length && this.#marks[seq] === mark)
      return new SeenEvents(this.#marks, seq + 1)
    const marks = isNewest && this !== SeenEvents.none ? this.#marks : this.#marks.slice(0, this.#length)
    marks[seq] = mark
    return new SeenEvents(marks, seq + 1)
  }
}

/** A digest of 32 bits. */
function markOf({
  type,
  path,
  at,
  messageId = '',
}: Pick<RunEvent, 'type' | 'path' | 'at' | 'messageId'>): number {
  const text = `${type} ${path} ${at} ${messageId}`
  let mark = 0
  for (let index = 0; index < text.length; index++) mark = (Math.imul(mark, 31) + text.charCodeAt(index)) | 0
  return mark
}
