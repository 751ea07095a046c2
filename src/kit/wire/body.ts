/** Reads the body of a request: a JSON object of bounded size. */
import { isRecord } from '../../actors/values/json.ts'
import { excessOf } from '../../actors/values/measure.ts'
import { requestText, type Incoming } from './request-text.ts'
import { RefusedRequest, tooMany, wrongRequest } from './refusals.ts'

/** What a body may have: `bytes`, and `values` in number. Default of `values`: 100 000. */
export interface BodyLimits {
  readonly bytes: number
  readonly values?: number
}

/**
 * Rejects with a `RefusedRequest` for a body that is too long or is no JSON object, and for another content type: a form of
 * a foreign page cannot send this one.
 */
export async function readBody(
  request: Incoming,
  limits: BodyLimits,
): Promise<Readonly<Record<string, unknown>>> {
  assertJson(request)
  const body = parsed(await readText(request, limits.bytes))
  if (!isRecord(body)) throw wrongRequest('The body must be a JSON object.')
  assertModest(body, limits)
  return body
}

/** `types`: of JSON, beside `application/json`. */
export function assertJson({ header }: Incoming, types: readonly string[] = []): void {
  const type = header('content-type') ?? ''
  const [named = ''] = type.split(';', 1)
  if (['application/json', ...types].includes(named.trim().toLowerCase())) return
  throw new RefusedRequest(415, 'INVALID_REQUEST', 'The body must be of the type application/json.')
}

/** Rejects with a `RefusedRequest`. */
export async function readText(request: Incoming, longest: number): Promise<string> {
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

function assertModest(body: unknown, { values }: BodyLimits): void {
  const excess = excessOf(body, values === undefined ? {} : { values })
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
