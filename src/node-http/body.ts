/** The body of an incoming message as a stream of the platform, decompressed. */
import type { IncomingMessage } from 'node:http'
import { pipeline, type Readable, type Transform } from 'node:stream'
import { constants, createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'

export interface Body {
  readonly stream: ReadableStream<Uint8Array>
  /** Ends the stream with an error. */
  fail(error: unknown): void
}

/** Bytes that may wait for the reader. */
const highWaterMark = 65_536

const withoutBody: readonly (number | undefined)[] = [101, 204, 205, 304]

/** `undefined` where there is none. `release`: called once, when the body has ended. */
export function bodyOf(incoming: IncomingMessage, method: string, release: () => void): Body | undefined {
  if (method === 'HEAD' || withoutBody.includes(incoming.statusCode)) {
    incoming.resume()
    release()
    return undefined
  }
  const source = decompressed(incoming)
  let isOpen = true
  let fail: (error: unknown) => void = () => undefined
  const stream = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        const settle = (end: () => void): void => {
          if (!isOpen) return
          isOpen = false
          release()
          end()
        }
        fail = (error) => settle(() => controller.error(error))
        source.on('data', (chunk: Buffer) => {
          if (!isOpen) return
          controller.enqueue(chunk)
          if ((controller.desiredSize ?? 0) <= 0) source.pause()
        })
        source.on('end', () => settle(() => controller.close()))
        source.on('error', (cause) => fail(new TypeError('terminated', { cause })))
        source.on('close', () => fail(new TypeError('terminated')))
        source.pause()
      },
      pull() {
        source.resume()
      },
      cancel() {
        isOpen = false
        release()
        incoming.destroy()
      },
    },
    { highWaterMark, size: (chunk) => chunk.byteLength },
  )
  return { stream, fail }
}

/** Each piece is handed on at once: the events of a stream do not wait for more of it. */
const gzip = { flush: constants.Z_SYNC_FLUSH, finishFlush: constants.Z_SYNC_FLUSH }
const brotli = { flush: constants.BROTLI_OPERATION_FLUSH, finishFlush: constants.BROTLI_OPERATION_FLUSH }

function decompressed(incoming: IncomingMessage): Readable {
  const decoder = decoderOf(incoming.headers['content-encoding']?.trim().toLowerCase())
  if (decoder === undefined) return incoming
  return pipeline(incoming, decoder, () => undefined) // the reader hears of an error at the decoder, which gets it
}

function decoderOf(encoding: string | undefined): Transform | undefined {
  switch (encoding) {
    case 'gzip':
    case 'x-gzip':
      return createGunzip(gzip)
    case 'deflate':
      return createInflate(gzip)
    case 'br':
      return createBrotliDecompress(brotli)
    default:
      return undefined
  }
}
