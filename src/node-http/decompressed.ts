/** The bytes of a message as they were before its server compressed them. */
import type { IncomingMessage } from 'node:http'
import { Duplex, pipeline, type Readable } from 'node:stream'
import { constants, createBrotliDecompress, createGunzip } from 'node:zlib'
import { inflated } from './inflated.ts'

/** Each piece is handed on at once: the events of a stream do not wait for more of it. */
const gzip = { flush: constants.Z_SYNC_FLUSH, finishFlush: constants.Z_SYNC_FLUSH }
const brotli = { flush: constants.BROTLI_OPERATION_FLUSH, finishFlush: constants.BROTLI_OPERATION_FLUSH }

const decoders: Readonly<Record<string, () => Duplex>> = {
  gzip: () => createGunzip(gzip),
  'x-gzip': () => createGunzip(gzip),
  deflate: () => Duplex.from((source: AsyncIterable<Buffer>) => inflated(source, gzip)),
  br: () => createBrotliDecompress(brotli),
}

/** A decoder takes memory, and no server has a reason for more. */
const mostCodings = 5

/** The bytes as they came where a coding is not known. */
export function decompressed(incoming: IncomingMessage): Readable {
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
