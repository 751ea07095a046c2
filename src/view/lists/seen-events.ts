/**
 * The events that a view has seen, by their `seq`. On Restate another process may count the events of the same run in another
 * order: an event is known where that number, its type, its place and its time are those of an event before.
 */
import type { RunEvent } from '../../index.ts'

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

  /** With one more event; `undefined`: it was seen. */
  after(event: RunEvent): SeenEvents | undefined {
    const { seq } = event
    if (seq === undefined) return this
    const mark = markOf(event)
    if (seq < this.#length) return this.#marks[seq] === mark ? undefined : this.#withLate(seq, mark)
    const marks = this.#marks
    const isNewest = marks.length === this.#length
    if (!isNewest && seq === this.#length && marks[seq] === mark) return new SeenEvents(marks, seq + 1)
    const own = isNewest && this !== SeenEvents.none ? marks : marks.slice(0, this.#length)
    own[seq] = mark
    return new SeenEvents(own, seq + 1)
  }

  /** An event that comes behind later ones is rare: it gets marks of its own, since other views share the present ones. */
  #withLate(seq: number, mark: number): SeenEvents {
    const marks = this.#marks.slice(0, this.#length)
    marks[seq] = mark
    return new SeenEvents(marks, this.#length)
  }
}

/** A digest of 32 bits. */
function markOf({ type, path, at, messageId = '' }: RunEvent): number {
  const text = `${type} ${path} ${at} ${messageId}`
  let mark = 0
  for (let index = 0; index < text.length; index++) mark = (Math.imul(mark, 31) + text.charCodeAt(index)) | 0
  return mark
}
