/**
 * The text of one agent for a reader that cannot retract any: where a new attempt at a message repeats the one that
 * failed, the repeated text is given once, and where the two differ, the new one is given in full.
 */
import type { RunEvent } from './run-event.ts'
import { StreamedText } from './streamed-text.ts'

/** An attempt at a message. */
export interface Said {
  readonly messageId: string
  /** From 1. */
  readonly attempt: number
  readonly streamed: StreamedText
  /** The model call has failed, and is made again as another message. */
  readonly hasFailed: boolean
}

export class Speech {
  /** The message whose text was given. */
  #said: Said
  /** The present attempt, as long as it only repeats text that was given. */
  #repetition: Said | undefined

  constructor(
    said: Said = { messageId: '', attempt: 1, streamed: StreamedText.none, hasFailed: false },
    repetition?: Said,
  ) {
    this.#said = said
    this.#repetition = repetition
  }

  /** Absent: nothing was given of the present message. */
  get said(): Said | undefined {
    return this.#said.streamed.length === 0 ? undefined : this.#said
  }

  get repetition(): Said | undefined {
    return this.#repetition
  }

  /** The text to give next. `whole`: that of the message up to there, where others hold it. */
  take(event: RunEvent, whole?: StreamedText): string {
    switch (event.type) {
      case 'error':
        if (event.payload.willRetry && event.messageId === this.#present.messageId) this.#fail()
        return ''
      case 'text-delta':
        this.#listen(event)
        return this.#repetition === undefined
          ? this.#give(event.payload.text, whole)
          : this.#repeat(this.#repetition, event.payload.text, whole)
      case 'text-end':
        return event.payload.status === 'complete' && event.messageId === this.#present.messageId
          ? this.#finish(event.payload.text)
          : ''
      default:
        return ''
    }
  }

  get #present(): Said {
    return this.#repetition ?? this.#said
  }

  #fail(): void {
    if (this.#repetition === undefined) this.#said = { ...this.#said, hasFailed: true }
    else this.#repetition = { ...this.#repetition, hasFailed: true }
  }

  /** Follows the attempt of an event: the present one, a new one at the same message, or one at another message. */
  #listen({ messageId = '', attempt = 1 }: RunEvent): void {
    const present = this.#present
    const isSameMessage = messageId === present.messageId
    if (isSameMessage && attempt === present.attempt) return
    const begun = { messageId, attempt, streamed: StreamedText.none, hasFailed: false }
    const isAgain = (isSameMessage || present.hasFailed) && this.#said.streamed.length > 0
    this.#repetition = isAgain ? begun : undefined
    const hasFailed = this.#said.hasFailed || present.hasFailed
    this.#said = isAgain ? { ...this.#said, hasFailed } : begun
  }

  #give(text: string, shared?: StreamedText): string {
    this.#said = { ...this.#said, streamed: this.#said.streamed.plus(text, shared) }
    return text
  }

  #repeat(repetition: Said, text: string, shared?: StreamedText): string {
    const before = this.#said.streamed
    const again = { ...repetition, streamed: repetition.streamed.plus(text, shared) }
    if (before.mayBeginWith(again.streamed)) {
      this.#repetition = again
      return ''
    }
    this.#said = again
    this.#repetition = undefined
    const whole = again.streamed.text ?? ''
    return before.restOf(whole) ?? whole
  }

  /** An attempt that repeats only the beginning of the one before is another text, and is given. */
  #finish(whole: string): string {
    const repetition = this.#repetition
    const isAnother = repetition !== undefined && repetition.streamed.length < this.#said.streamed.length
    this.#said = { ...this.#present, streamed: StreamedText.none }
    this.#repetition = undefined
    return isAnother ? (repetition.streamed.text ?? whole) : ''
  }
}
