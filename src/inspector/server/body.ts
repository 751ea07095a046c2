/** Reads the body of a request: JSON of bounded size. */
import type { IncomingMessage } from 'node:http'
import { isRecord } from '../../actors/values/json.ts'
import { excessOf } from '../../actors/values/measure.ts'
import { RefusedRequest, wrongRequest } from './refusals.ts'

/** In bytes. A patch may hold the outcome of a large effect. */
const longest = 4 * 2 ** 20

/** Rejects with a `RefusedRequest` for a body that is too long, or that is no JSON object. */
export async function readBody(request: IncomingMessage): Promise<Readonly<Record<string, unknown>>> {
  const type = request.headers['content-type'] ?? ''
  if (!/^application\/json(?:;|$)/i.test(type)) {
    throw new RefusedRequest(415, 'INVALID_REQUEST', 'The body must be of the type application/json.')
  }
  const body = parsed(await read(request))
  if (!isRecord(body)) throw wrongRequest('The body must be a JSON object.')
  // A patch may hold a large outcome: its number of values is bounded by its bytes alone.
  const excess = excessOf(body, { values: longest })
  if (excess !== undefined) throw wrongRequest(`The body nests more than ${excess.most} ${excess.of}.`)
  return body
}

async function read(request: IncomingMessage): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  try {
    for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>) {
      size += chunk.byteLength
      if (size > longest) {
        throw new RefusedRequest(413, 'REQUEST_TOO_LARGE', `The body has more than ${longest} bytes.`)
      }
      chunks.push(chunk)
    }
  } finally {
    request.resume() // the rest is dropped, so that its sender gets an answer and not the end of its connection
  }
  return Buffer.concat(chunks).toString('utf8')
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw wrongRequest('The body is no JSON.')
  }
}
