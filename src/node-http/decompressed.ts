/** The bytes of a message as they were before its server compressed them. */
import type { IncomingMessage } from 'node:http'
import { pipeline, type Readable, type Transform } from 'node:stream'
import { constants, createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'

/** Each piece is handed on at once: the events of a stream do not wait for more of it. */
const gzip = { flush: constants.Z_SYNC_FLUSH, finishFlush: constants.Z_SYNC_FLUSH }
const brotli = { flush: constants.BROTLI_OPERATION_FLUSH, finishFlush: constants.BROTLI_OPERATION_FLUSH }

export function decompressed(incoming: IncomingMessage): Readable {
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
