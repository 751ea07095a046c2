/** Data of the coding `deflate`. By the standard it has the header of zlib; some servers leave it out. */
import { pipeline } from 'node:stream'
import { createInflate, createInflateRaw, type ZlibOptions } from 'node:zlib'

export async function* inflated(source: AsyncIterable<Buffer>, options: ZlibOptions): AsyncGenerator<Buffer> {
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
