/**
 * The text of a run as a plain sequence. It cannot retract text: where a new attempt at a message repeats the one that
 * failed, it yields the repeated text once, and where the two differ, it yields the new one in full.
 */
import { errorOf, type ErrorData } from '../../errors.ts'
import type { RunEvent } from './run-event.ts'
import { leavable } from './leavable.ts'
import type { FinalResult } from './result.ts'

/** The end of a run, as far as its text needs it. */
type TextEnd = Pick<FinalResult, 'runId' | 'outcome' | 'text'> & { readonly error?: ErrorData }

/**
 * The text of the root agent among the events of a run; after a bail, the bailing agent's. At its end it throws the
 * error that `result` rejects with, and the error of a run that has `failed`.
 */
export function textOf(
  events: AsyncIterable<RunEvent>,
  result: () => Promise<TextEnd | undefined>,
): AsyncIterableIterator<string> {
  const reader = events[Symbol.asyncIterator]()
  let hasLeft = false
  const text = spoken({ [Symbol.asyncIterator]: () => reader }, async () => (hasLeft ? undefined : result()))
  return leavable(text, () => {
    hasLeft = true
    return reader.return?.()
  })
}

async function* spoken(
  events: AsyncIterable<RunEvent>,
  result: () => Promise<TextEnd | undefined>,
): AsyncGenerator<string, void> {
  const speech = new Speech()
  for await (const event of events) {
    const text = event.delegationId === undefined ? speech.take(event) : ''
    if (text !== '') yield text
  }
  const end = await result()
  if (end?.outcome === 'bailed') yield end.text
  if (end?.outcome === 'failed' && end.error !== undefined) throw errorOf(end.error, end.runId)
}

/** The text of one agent as its events tell it. */
export class Speech {
  #messageId: string | undefined
  #attempt = 1
  /** The text that was yielded of the present message. */
  #given = ''
  /** The text of the present attempt, as long as it only repeats text that was yielded. */
  #repeated: string | undefined
  /** The model call has failed, and is made again as another message. */
  #hasFailed = false

  /** The text to yield next. */
  take(event: RunEvent): string {
    switch (event.type) {
      case 'error':
        this.#hasFailed ||= event.payload.willRetry && event.messageId === this.#messageId
        return ''
      case 'text-delta':
        this.#listen(event)
        return this.#repeated === undefined
          ? this.#give(event.payload.text)
          : this.#repeat(event.payload.text)
      case 'text-end':
        return event.payload.status === 'complete' && event.messageId === this.#messageId
          ? this.#finish()
          : ''
      default:
        return ''
    }
  }

  /** Follows the attempt of an event: the present one, a new one at the same message, or one at another message. */
  #listen({ messageId, attempt = 1 }: RunEvent): void {
    const isSameMessage = messageId === this.#messageId
    if (isSameMessage && attempt === this.#attempt) return
    if (!isSameMessage && !this.#hasFailed) this.#given = ''
    this.#repeated = this.#given === '' ? undefined : ''
    this.#messageId = messageId
    this.#attempt = attempt
    this.#hasFailed = false
  }

  #give(text: string): string {
    this.#given += text
    return text
  }

  #repeat(text: string): string {
    const before = this.#given
    const said = `${this.#repeated}${text}`
    this.#repeated = said
    if (before.startsWith(said)) return ''
    this.#repeated = undefined
    this.#given = said
    return said.startsWith(before) ? said.slice(before.length) : said
  }

  /** An attempt that repeats only the beginning of the one before is another text, and is yielded. */
  #finish(): string {
    const said = this.#repeated
    const isAnother = said !== undefined && said !== this.#given
    this.#given = ''
    this.#repeated = undefined
    return isAnother ? said : ''
  }
}
