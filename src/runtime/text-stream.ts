/**
 * A stream of text that its reader pulls: one text is read when the reader asks for one, so that a slow reader holds no more
 * than the events that wait for it. While there is no text, the stream sends heartbeats. A reader that takes nothing for a
 * while is sent away, so that it holds nothing at all: it comes back behind the last event that it has.
 */
import { startTimer } from '../actors/values/timer.ts'
import { TroupeError } from '../errors.ts'

export interface TextStreamOptions {
  /** Milliseconds between two heartbeats. */
  readonly heartbeat: number
  /** The text of a heartbeat. */
  readonly beat: string
  /** Milliseconds for which a reader may take nothing. */
  readonly readerTimeout: number
  /** Fires when the reader has left. */
  readonly signal: AbortSignal
  /** The request whose signal it is. The stream holds it: the signal of a request that was collected never fires. */
  readonly request?: object
  /** The last text of a stream that fails; `undefined`: the stream ends without one. */
  readonly failed: (error: unknown) => string | undefined
}

type Step =
  { readonly type: 'text'; readonly text: string } | { readonly type: 'end' } | { readonly type: 'none' }

/** `texts`: left by `return` when the reader leaves, also while a `next` waits. */
export function textStream(
  texts: AsyncIterator<string>,
  options: TextStreamOptions,
): ReadableStream<Uint8Array> {
  return new ReadableStream(new TextSource(texts, options), { highWaterMark: 0 })
}

const noTexts: AsyncIterator<string> = { next: async () => ({ done: true, value: undefined }) }

class TextSource implements UnderlyingDefaultSource<Uint8Array> {
  #texts: AsyncIterator<string>
  readonly #options: TextStreamOptions
  readonly #encoder = new TextEncoder()
  #step: Step = { type: 'none' }
  #isReading = false
  #wake: () => void = () => undefined
  #stopTimer: () => void = () => undefined
  #hasLeft = false
  /** Takes the listener of the signal away. */
  #forget: () => void = () => undefined

  constructor(texts: AsyncIterator<string>, options: TextStreamOptions) {
    this.#texts = texts
    this.#options = options
  }

  start(controller: ReadableStreamDefaultController<Uint8Array>): void {
    const { signal } = this.#options
    if (signal.aborted) return this.#close(controller)
    const onAbort = (): void => this.#close(controller)
    signal.addEventListener('abort', onAbort, { once: true })
    this.#forget = () => signal.removeEventListener('abort', onAbort)
    this.#awaitReader(controller)
  }

  async pull(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    this.#stopTimer()
    this.#read()
    if (this.#step.type === 'none') await this.#news()
    if (this.#hasLeft) return
    const step = this.#step
    this.#step = { type: 'none' }
    switch (step.type) {
      case 'end':
        return this.#close(controller)
      case 'none':
        return this.#enqueue(controller, this.#options.beat)
      case 'text':
        return this.#enqueue(controller, step.text)
    }
  }

  cancel(): void {
    this.#leave()
  }

  #enqueue(controller: ReadableStreamDefaultController<Uint8Array>, text: string): void {
    controller.enqueue(this.#encoder.encode(text))
    this.#awaitReader(controller)
  }

  #awaitReader(controller: ReadableStreamDefaultController<Uint8Array>): void {
    this.#stopTimer = startTimer(this.#options.readerTimeout, () => this.#cutOff(controller))
  }

  /** One `next` at a time waits, for any number of heartbeats. */
  #read(): void {
    if (this.#isReading || this.#step.type !== 'none') return
    this.#isReading = true
    this.#texts.next().then(
      (next) => this.#took(next.done === true ? { type: 'end' } : { type: 'text', text: next.value }),
      (error: unknown) => this.#fail(error),
    )
  }

  #took(step: Step): void {
    this.#isReading = false
    this.#step = step
    this.#wake()
  }

  #fail(error: unknown): void {
    const text = this.#options.failed(error)
    this.#took(text === undefined ? { type: 'end' } : { type: 'text', text })
  }

  /** Resolves with the next text, or when a heartbeat is due. */
  async #news(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#wake = resolve
      this.#stopTimer = startTimer(this.#options.heartbeat, resolve)
    })
    this.#stopTimer()
  }

  #close(controller: ReadableStreamDefaultController<Uint8Array>): void {
    if (this.#hasLeft) return
    this.#leave()
    controller.close()
  }

  /**
   * What waits for the reader is dropped. A server that waits for its connection learns of the error, and not of an end: it destroys
   * the connection.
   */
  #cutOff(controller: ReadableStreamDefaultController<Uint8Array>): void {
    this.#leave()
    const message = `The reader took nothing for ${this.#options.readerTimeout} ms.`
    controller.error(new TroupeError('READER_TIMEOUT', message))
  }

  #leave(): void {
    if (this.#hasLeft) return
    this.#hasLeft = true
    this.#forget()
    this.#stopTimer()
    this.#wake()
    void this.#texts.return?.().catch(() => undefined) // nobody reads the end of it any more
    this.#texts = noTexts // the connection may hold this stream for long
    this.#step = { type: 'none' }
  }
}
