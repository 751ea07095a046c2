/**
 * The text of a message as far as a reader has it. A reader that goes on behind a cursor knows of the text before only
 * its length and its digest.
 */
import { emptyDigest, extendDigest, type TextDigest } from '../../actors/values/digest.ts'

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

  plus(more: string): StreamedText {
    const text = this.text === undefined ? undefined : this.text + more
    return new StreamedText(this.length + more.length, extendDigest(this.digest, more), text)
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
