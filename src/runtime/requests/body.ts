/** Reads the body of a request: a JSON object of bounded size. */
import { isRecord } from '../../actors/values/json.ts'
import { excessOf } from '../../actors/values/measure.ts'
import { requestText } from './request-text.ts'
import { RefusedRequest, tooMany, wrongRequest } from './refusals.ts'

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
  assertModest(body)
  return body
}

async function readText(request: Request, longest: number): Promise<string> {
  const read = await requestText(request, longest)
  if ('text' in read) return read.text
  switch (read.unread) {
    case 'tooLong':
      throw tooLong(longest)
    case 'cutOff':
      throw wrongRequest('The body has not arrived.')
    case 'notUtf8':
      throw wrongRequest('The body is not UTF-8.')
  }
}

function tooLong(longest: number): RefusedRequest {
  return new RefusedRequest(413, 'REQUEST_TOO_LARGE', `The body has more than ${longest} bytes.`)
}

function assertModest(body: unknown): void {
  const excess = excessOf(body)
  if (excess === undefined) return
  if (excess.of === 'levels') throw wrongRequest(`The body nests more than ${excess.most} levels.`)
  throw tooMany('The body', 'values', excess.most)
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw wrongRequest('The body is no JSON.')
  }
}
