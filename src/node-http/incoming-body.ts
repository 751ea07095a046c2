/**
 * The body of an incoming message, decompressed. It flows from the beginning, up to a limit, so that the connection of a
 * short body is free although nobody reads it; and it is read whole without a stream of the platform in between.
 */
import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { decompressed } from './decompressed.ts'

/** Bytes that may wait for the reader. */
const highWaterMark = 65_536

interface Reader {
  take(chunk: Buffer): void
  close(): void
  error(error: unknown): void
}

export class IncomingBody {
  readonly #incoming: IncomingMessage
  readonly #source: Readable
  readonly #release: () => void
  /** What has arrived and was not handed on. */
  #chunks: Buffer[] = []
  #waiting = 0
  #end: { readonly error?: unknown } | undefined
  #reader: Reader | undefined

  /** `release`: called once, when the body has ended. */
  constructor(incoming: IncomingMessage, release: () => void) {
    this.#incoming = incoming
    this.#release = release
    this.#source = decompressed(incoming)
    this.#source.on('data', (chunk: Buffer) => this.#take(chunk))
    this.#source.on('end', () => this.#settle({}))
    this.#source.on('error', (cause) => this.fail(new TypeError('terminated', { cause })))
    this.#source.on('close', () => this.fail(new TypeError('terminated')))
  }

  /** Ends the body with an error, unless it has ended. */
  fail(error: unknown): void {
    this.#settle({ error })
  }

  /** All of it. Rejects with the error that ended it. */
  whole(): Promise<Buffer<ArrayBuffer>> {
    const { promise, resolve, reject } = Promise.withResolvers<Buffer<ArrayBuffer>>()
    const chunks: Buffer[] = []
    this.#handTo({
      take: (chunk) => chunks.push(chunk),
      close: () => resolve(Buffer.concat(chunks)),
      error: reject,
    })
    return promise
  }

  stream(): ReadableStream<Uint8Array> {
    const take = (controller: ReadableStreamDefaultController<Uint8Array>, chunk: Buffer): void => {
      controller.enqueue(chunk)
      if ((controller.desiredSize ?? 0) <= 0) this.#source.pause()
    }
    return new ReadableStream<Uint8Array>(
      {
        start: (controller) =>
          this.#handTo({
            take: (chunk) => take(controller, chunk),
            close: () => controller.close(),
            error: (error) => controller.error(error),
          }),
        pull: () => {
          this.#source.resume()
        },
        cancel: () => {
          this.#reader = undefined
          this.#settle({})
          this.#incoming.destroy()
        },
      },
      { highWaterMark, size: (chunk) => chunk.byteLength },
    )
  }

  /** Hands on what has arrived, and what arrives from now on. */
  #handTo(reader: Reader): void {
    this.#reader = reader
    this.#source.resume()
    for (const chunk of this.#chunks) reader.take(chunk)
    this.#chunks = []
    if (this.#end !== undefined) endReader(reader, this.#end)
  }

  #take(chunk: Buffer): void {
    if (this.#end !== undefined) return
    if (this.#reader !== undefined) return this.#reader.take(chunk)
    this.#chunks.push(chunk)
    this.#waiting += chunk.byteLength
    if (this.#waiting >= highWaterMark) this.#source.pause()
  }

  #settle(end: { readonly error?: unknown }): void {
    if (this.#end !== undefined) return
    this.#end = end
    this.#release()
    if (this.#reader !== undefined) endReader(this.#reader, end)
  }
}

function endReader(reader: Reader, end: { readonly error?: unknown }): void {
  if ('error' in end) reader.error(end.error)
  else reader.close()
}
