/** The code of a failure at the server, and whether a retry may help: by status, and by the server's own code. */
import { isRecord } from '../../values/json.ts'

export interface Verdict {
  readonly code: string
  readonly retryable: boolean
}

export const retry = (code: string): Verdict => ({ code, retryable: true })
export const give = (code: string): Verdict => ({ code, retryable: false })

const quota = /insufficient_quota|billing_hard_limit_reached|billing_not_active/
const contextLength =
  /context_length_exceeded|maximum context length|exceed_context_size|exceeds the available context size|context window|prompt is too long|exceeds the maximum number of tokens/i
const contentFilter =
  /content_filter|policy_violation|bio_policy|content management policy|flagged as potentially violating/i

/** OpenAI's words for an address that it does not have, and those of LM Studio, which answers 200. */
const unknownAddress = /^invalid url|^unexpected endpoint/i

/** `status` is undefined for an error that came inside a response of status 200: then the error object decides. */
export function verdictOf(status: number | undefined, body: unknown, words: string): Verdict {
  const codes = errorCodes(body)
  const effective = status ?? statusOf(codes)
  if (quota.test(codes) || effective === 402) return give('QUOTA_EXCEEDED')
  if (unknownAddress.test(words)) return give('ENDPOINT_NOT_FOUND')
  if (effective === 429) return retry('RATE_LIMITED')
  if (effective === 408 || effective === 409 || effective >= 500) return retry('MODEL_UNAVAILABLE')
  if (effective === 401 || effective === 403) return give('UNAUTHORISED')
  if (effective === 404)
    return give(/model/i.test(`${codes} ${words}`) ? 'MODEL_NOT_FOUND' : 'ENDPOINT_NOT_FOUND')
  if (contextLength.test(`${codes} ${words}`)) return give('CONTEXT_LENGTH_EXCEEDED')
  if (contentFilter.test(`${codes} ${words}`)) return give('CONTENT_FILTERED')
  return give('INVALID_REQUEST')
}

/** The codes of an error object in one text: servers put a name or a status into `code`, `type` or both. */
function errorCodes(body: unknown): string {
  if (!isRecord(body)) return ''
  return [body['code'], body['type'], body['status']]
    .filter((code) => typeof code === 'string' || typeof code === 'number')
    .join(' ')
}

/** From the most specific to the least; an error that matches none counts as one of the server, which may pass. */
const statuses: readonly (readonly [pattern: RegExp, status: number])[] = [
  [/rate_?limit|too_?many_?requests|resource_?exhausted/i, 429],
  [/overloaded|unavailable|server_?error|internal|timeout/i, 503],
  [/authentication|unauthori[sz]ed|invalid_api_key/i, 401],
  [/permission|forbidden/i, 403],
  [/model_not_found|not_?found/i, 404],
  [/invalid|bad_?request|context_length|content_filter|policy/i, 400],
]

function statusOf(codes: string): number {
  const status = /\b[45]\d\d\b/.exec(codes)?.[0]
  if (status !== undefined) return Number(status)
  return statuses.find(([pattern]) => pattern.test(codes))?.[1] ?? 500
}
