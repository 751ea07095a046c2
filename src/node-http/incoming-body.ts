/**
 * The body of an incoming message, decompressed. It flows from the beginning, up to a limit, so that the connection of a
 * short body is free although nobody reads it; and it is read whole without a stream of the platform in between.
 */
import type { IncomingMessage } from 'node:http'
import { Duplex, pipeline, type Readable } from 'node:stream'
import {
  constants,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createInflateRaw,
  type ZlibOptions,
} from 'node:zlib'

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

/** Each piece is handed on at once: the events of a stream do not wait for more of it. */
const gzip = { flush: constants.Z_SYNC_FLUSH, finishFlush: constants.Z_SYNC_FLUSH }
const brotli = { flush: constants.BROTLI_OPERATION_FLUSH, finishFlush: constants.BROTLI_OPERATION_FLUSH }

const decoders: Readonly<Record<string, () => Duplex>> = {
  gzip: () => createGunzip(gzip),
  'x-gzip': () => createGunzip(gzip),
  deflate: () => Duplex.from((source: AsyncIterable<Buffer>) => inflated(source, gzip)),
  br: () => createBrotliDecompress(brotli),
}

/** Data of the coding `deflate`. By the standard it has the header of zlib; some servers leave it out. */
async function* inflated(source: AsyncIterable<Buffer>, options: ZlibOptions): AsyncGenerator<Buffer> {
  const pieces = source[Symbol.asyncIterator]()
  const first = await pieces.next()
  if (first.done === true) return
  const decoder = hasHeader(first.value) ? createInflate(options) : createInflateRaw(options)
  async function* all(): AsyncGenerator<Buffer> {
    yield first.value
    yield* { [Symbol.asyncIterator]: () => pieces }
  }
  yield* pipeline(all, decoder, () => undefined) // its reader, which is this one, gets the error
}

/** The method of compression is the lower half of the first byte of the header, and there is only one. */
function hasHeader(piece: Buffer): boolean {
  return ((piece[0] ?? 0) & 0x0f) === 8
}

/** A decoder takes memory, and no server has a reason for more. */
const mostCodings = 5

/** The bytes as they came where a coding is not known. */
function decompressed(incoming: IncomingMessage): Readable {
  const codings = (incoming.headers['content-encoding'] ?? '')
    .split(',')
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== '')
  const isKnown = codings.every((name) => Object.hasOwn(decoders, name))
  if (codings.length === 0 || codings.length > mostCodings || !isKnown) return incoming
  const inTurn = codings.toReversed().flatMap((name) => decoders[name]?.() ?? []) // the last one was applied last
  const stages: readonly (Readable | Duplex)[] = [incoming, ...inTurn]
  pipeline(stages, () => undefined) // the reader hears of an error at the last decoder, which gets it
  return inTurn.at(-1) ?? incoming
}

function endReader(reader: Reader, end: { readonly error?: unknown }): void {
  if ('error' in end) reader.error(end.error)
  else reader.close()
}
