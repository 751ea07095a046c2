/**
 * The text of a message as far as a reader has it. A reader that goes on behind a cursor knows of the text before only
 * its length and its digest.
 */
import { emptyDigest, extendDigest, type TextDigest } from '../../actors/values/digest.ts'
import type { RunEvent, StreamedEvent } from './run-event.ts'

export class StreamedText {
  static readonly none = /* @__PURE__ */ new StreamedText(0, emptyDigest, '')

  readonly length: number
  readonly digest: TextDigest
  /** Absent: it was handed to an earlier reader. */
  readonly text: string | undefined

  constructor(length: number, digest: TextDigest, text?: string) {
    this.length = length
    this.digest = digest
    this.text = text
  }

  static of(text: string): StreamedText {
    return StreamedText.none.plus(text)
  }

  /** `whole`: the same text, where others hold it: it is shared, and not held once more. */
  plus(more: string, whole?: StreamedText): StreamedText {
    const [length, digest] = [this.length + more.length, extendDigest(this.digest, more)]
    if (this.text === undefined) return new StreamedText(length, digest)
    const isShared = whole?.text !== undefined && whole.length === length && isSame(whole.digest, digest)
    return isShared ? whole : new StreamedText(length, digest, this.text + more)
  }

  /** The rest of a whole text that begins with this one; `undefined` for a text that begins otherwise. */
  restOf(whole: string): string | undefined {
    return this.#begins(whole) ? whole.slice(this.length) : undefined
  }

  /** Whether it may begin with another one: of two texts, one of which is known by its digest alone, only wholes compare. */
  mayBeginWith(other: StreamedText): boolean {
    if (other.length > this.length) return false
    if (this.text !== undefined && other.text !== undefined) return this.text.startsWith(other.text)
    return other.length < this.length || isSame(other.digest, this.digest)
  }

  #begins(whole: string): boolean {
    if (this.text !== undefined) return whole.startsWith(this.text)
    if (whole.length < this.length) return false
    return isSame(extendDigest(emptyDigest, whole.slice(0, this.length)), this.digest)
  }
}

function isSame(one: TextDigest, other: TextDigest): boolean {
  return one.a === other.a && one.b === other.b
}

type Progress = Extract<RunEvent, { type: 'tool-progress' }>
type Delta = Exclude<StreamedEvent, Progress>

/** Characters from which on joined pieces are handed on as one event. */
const mostCharacters = 32_768

/**
 * A streamed event as all readers of a run share it. Pieces of the same message or call are linked, so that a slow reader remembers
 * the first and the last piece that wait for it, and no text of its own.
 */
export class Piece {
  readonly event: StreamedEvent
  /** The text of its message up to here; `undefined`: it is no text of a message. */
  readonly whole: StreamedText | undefined
  #next: Piece | undefined

  constructor(event: StreamedEvent, whole?: StreamedText) {
    this.event = event
    this.whole = whole
  }

  /** Links the piece that was streamed after this one, where it goes on with the same message or call. */
  link(next: Piece): void {
    if (next.event.type !== 'tool-progress' && continues(next.event, this.event)) this.#next = next
  }

  isBefore(piece: Piece): boolean {
    return this.#next === piece
  }

  /** This piece and those after it, up to `last`. */
  *#upTo(last: Piece): Generator<Piece, void> {
    yield this
    if (this !== last)
      for (let piece = this.#next; piece !== undefined; piece = piece.#after(last)) yield piece
  }

  /** The piece after this one, unless this is the last. */
  #after(last: Piece): Piece | undefined {
    return this === last ? undefined : this.#next
  }

  /** The pieces from this one to `last`, joined, so that a reader has few events and holds little text of its own. */
  *joined(last: Piece): Generator<Piece, void> {
    let texts: string[] = []
    let length = 0
    for (const piece of this.#upTo(last)) {
      const { event, whole } = piece
      if (event.type === 'tool-progress') {
        yield piece
        continue
      }
      texts.push(event.payload.text)
      length += event.payload.text.length
      if (piece !== last && length < mostCharacters) continue
      yield texts.length === 1 ? piece : new Piece(withText(event, texts.join('')), whole)
      texts = []
      length = 0
    }
  }
}

function withText(delta: Delta, text: string): Delta {
  return { ...delta, payload: { ...delta.payload, text } } as Delta
}

function continues(delta: Delta, last: RunEvent): boolean {
  if (last.type !== delta.type || last.messageId !== delta.messageId) return false
  if (delta.type !== 'tool-call-delta' || last.type !== 'tool-call-delta') return true
  return last.payload.toolCallId === delta.payload.toolCallId
}
