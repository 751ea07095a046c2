/** Reads the body of a request: a JSON object of bounded size. */
import { isRecord } from '../../actors/values/json.ts'
import { RefusedRequest, wrongRequest } from './refusals.ts'

/**
 * `longest`: in bytes. Rejects with a `RefusedRequest` for a body that is too long or is no JSON object, and for another
 * content type: a form of a foreign page cannot send this one.
 */
export async function readBody(
  request: Request,
  longest: number,
): Promise<Readonly<Record<string, unknown>>> {
  const type = request.headers.get('content-type') ?? ''
  if (!/^application\/json\s*(?:;|$)/i.test(type)) {
    throw new RefusedRequest(415, 'INVALID_REQUEST', 'The body must be of the type application/json.')
  }
  const body = parsed(await readText(request, longest))
  if (!isRecord(body)) throw wrongRequest('The body must be a JSON object.')
  return body
}

async function readText({ body, headers }: Request, longest: number): Promise<string> {
  if (Number(headers.get('content-length') ?? 0) > longest) throw tooLong(longest)
  if (body === null) return ''
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const reader = body.getReader()
  let [text, size] = ['', 0]
  for (let bytes = await readFrom(reader); bytes !== undefined; bytes = await readFrom(reader)) {
    size += bytes.byteLength
    if (size > longest) {
      await reader.cancel().catch(() => undefined) // the sender gets the refusal
      throw tooLong(longest)
    }
    text += decoded(decoder, bytes)
  }
  return text + decoded(decoder)
}

/** `undefined`: the body has ended. Rejects with a `RefusedRequest` where the client has left in the midst of it. */
async function readFrom(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<Uint8Array | undefined> {
  try {
    const { value } = await reader.read()
    return value
  } catch {
    throw wrongRequest('The body has not arrived.')
  }
}

function decoded(decoder: TextDecoder, bytes?: Uint8Array): string {
  try {
    return decoder.decode(bytes, { stream: bytes !== undefined })
  } catch {
    throw wrongRequest('The body is not UTF-8.')
  }
}

function tooLong(longest: number): RefusedRequest {
  return new RefusedRequest(413, 'REQUEST_TOO_LARGE', `The body has more than ${longest} bytes.`)
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw wrongRequest('The body is no JSON.')
  }
}
