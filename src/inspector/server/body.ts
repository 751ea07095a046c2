/** The body of a request to the server of the page. */
import { type Incoming, readBody as readAny } from '../../kit/wire/index.ts'
import type { IncomingMessage } from 'node:http'

/** In bytes. A patch may hold the outcome of a large effect: its values are bounded by its bytes alone. */
const longest = 4 * 2 ** 20

/** Rejects with a `RefusedRequest` for a body that is too long, or that is no JSON object. */
export function readBody(request: IncomingMessage): Promise<Readonly<Record<string, unknown>>> {
  return readAny(incoming(request), { bytes: longest, values: longest })
}

/** A body that is left is dropped, so that its sender gets an answer and not the end of its connection. */
function incoming(request: IncomingMessage): Incoming {
  const pieces = request.iterator({ destroyOnReturn: false }) as AsyncIterator<Uint8Array>
  return {
    header: (name) => [request.headers[name]].flat()[0],
    body: () => ({
      read: () => pieces.next(),
      async cancel() {
        request.resume()
      },
    }),
  }
}
