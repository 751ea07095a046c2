/** Turns a failure of the client or the server into an error, whose class decides how the runtime handles it. */
import { RetryableError, TerminalError, toErrorData, TroupeError, type ErrorData } from '../../../errors.ts'
import { isRecord } from '../../values/json.ts'
import { retryAfterMs, withinPatience } from './retry-after.ts'

export interface CallContext {
  readonly modelId: string
  /** The address that the client sends its requests to, as far as it is known. */
  readonly endpoint?: () => string | undefined
  /** Takes the secrets of the model out of a text. */
  readonly redact: (text: string) => string
  /** Whether the stream has said its end; absent: it is not known. */
  readonly isDone?: () => boolean
}

/** The reply is no answer: a `RetryableError` that names the reply that came instead. */
export function invalidReply(call: CallContext, what: string): TroupeError {
  return toError(retry('MODEL_REPLY_INVALID'), call, 'sent', what)
}

/** The code of a failure at the server, and whether a retry may help: by status, and by the server's own code. */
export interface Verdict {
  readonly code: string
  readonly retryable: boolean
}

/** The request may be repeated. */
export const retry = (code: string): Verdict => ({ code, retryable: true })
/** The request has failed for good. */
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

/** An error object in the body of a response that began with status 200. */
export function bodyError(body: unknown, call: CallContext): TroupeError {
  return serverError({ body }, call)
}

/** `isStreaming`: the response had begun, so an error that the server did not report is a cut connection. */
export function toModelError(thrown: unknown, call: CallContext, isStreaming: boolean): TroupeError {
  if (thrown instanceof TroupeError) return thrown
  const own = chainOf(thrown).find((error) => error instanceof TroupeError)
  if (own !== undefined) return own // of our `fetch`, as the client passes it on
  const cause = redactedCause(thrown, call)
  if (isApiError(thrown) && (thrown.status !== undefined || thrown.headers !== undefined)) {
    const { status, headers, error: body, message } = thrown
    return serverError({ status, headers, body, message, cause }, call)
  }
  const [verdict, what] = clientVerdict(thrown, isStreaming)
  return toError(verdict, call, `${what}:`, deepestMessage(thrown), { cause })
}

/** The client's `APIError`; a connection error is one that has neither status nor headers. */
interface ApiError {
  readonly status: number | undefined
  readonly headers: unknown
  readonly error: unknown
  readonly message: string
}

/**
 * Reads the errors that the client throws. Their classes are recognised by shape, not by `instanceof`: a given client
 * may come from another copy of the package.
 */
function isApiError(thrown: unknown): thrown is ApiError {
  return thrown instanceof Error && 'status' in thrown && 'headers' in thrown && 'error' in thrown
}

/** Whether the body of a response was cut: undici says `terminated`, other runtimes have the socket's code as cause. */
export function isCutBody(thrown: unknown): boolean {
  if (!(thrown instanceof Error)) return false
  return (
    thrown.message === 'terminated' || (isRecord(thrown.cause) && typeof thrown.cause['code'] === 'string')
  )
}

const maxCauses = 5

/** An error and its causes. */
export function chainOf(thrown: unknown): readonly Error[] {
  const errors: Error[] = []
  for (let error = thrown; error instanceof Error && errors.length < maxCauses; error = error.cause) {
    errors.push(error)
  }
  return errors
}

/** The message of the innermost cause that has one: "Connection error." and "fetch failed" do not name ECONNREFUSED. */
export function deepestMessage(thrown: unknown): string {
  const told = chainOf(thrown).map((error) => error.message || ('code' in error ? String(error.code) : ''))
  return told.findLast((text) => text !== '') ?? String(thrown)
}

function clientVerdict(thrown: unknown, isStreaming: boolean): readonly [verdict: Verdict, what: string] {
  if (isApiError(thrown)) {
    return /timed? ?out/i.test(thrown.message)
      ? [retry('MODEL_TIMEOUT'), 'did not answer in time']
      : [retry('MODEL_UNREACHABLE'), 'could not be reached']
  }
  if (thrown instanceof SyntaxError) return [retry('MODEL_REPLY_INVALID'), 'sent no valid JSON']
  if (isStreaming) return [retry('MODEL_STREAM_CUT'), 'had its stream cut']
  if (isCutBody(thrown)) return [retry('MODEL_REPLY_INCOMPLETE'), 'had its reply cut']
  return [give('INVALID_REQUEST'), 'could not be sent the request']
}

interface ServerFailure {
  readonly status?: number | undefined
  readonly headers?: unknown
  readonly body: unknown
  readonly message?: string
  readonly cause?: unknown
}

function serverError(
  { status, headers, body, message, cause }: ServerFailure,
  call: CallContext,
): TroupeError {
  const error = errorObject(body)
  const words = serverWords(error, message)
  const verdict = verdictOf(status, error, words)
  const answered = status === undefined ? 'reported an error' : `answered ${status}`
  return toError(verdict, call, `${answered}${placeOf(verdict, call)}:`, words, {
    retryAfterMs: retryAfterMs(headers, Date.now()),
    cause,
  })
}

/** The address that was asked, where the server did not find it or the model. */
function placeOf({ code }: Verdict, { endpoint, redact }: CallContext): string {
  const isPlace = code === 'ENDPOINT_NOT_FOUND' || code === 'MODEL_NOT_FOUND'
  const url = isPlace ? endpoint?.() : undefined
  if (url === undefined) return ''
  const hint =
    code === 'ENDPOINT_NOT_FOUND' && !/\/v\d/.test(url) ? ' (the baseURL of most servers ends in /v1)' : ''
  return ` at ${redact(url)}${hint}`
}

/** Gemini wraps its error objects in a list. */
function errorObject(body: unknown): unknown {
  const first: unknown = Array.isArray(body) ? body[0] : body
  return isRecord(first) && isRecord(first['error']) ? first['error'] : first
}

/** The message of the error object, or the body as it came. */
function serverWords(error: unknown, message: string | undefined): string {
  if (typeof error === 'string' && error !== '') return error
  if (isRecord(error) && typeof error['message'] === 'string') return error['message']
  return message?.replace(/^\d{3} /, '') ?? JSON.stringify(error)
}

const longestDetail = 600

function toError(
  { code, retryable }: Verdict,
  { modelId, redact }: CallContext,
  what: string,
  detail: string,
  { retryAfterMs, cause }: { retryAfterMs?: number | undefined; cause?: unknown } = {},
): TroupeError {
  const clean = redact(detail)
  const short = clean.length > longestDetail ? `${clean.slice(0, longestDetail)}…` : clean
  const text = `Model "${modelId}" ${what} ${short}`
  return retryable
    ? withinPatience(new RetryableError(text, { code, retryAfterMs, cause }))
    : new TerminalError(text, { code, cause })
}

/** A copy without secrets in any of its fields, its stack included: causes reach the journal. */
function redactedCause(thrown: unknown, { redact }: CallContext): unknown {
  const copyOf = ({ name, code, message, cause }: ErrorData): Error => {
    const error = new Error(redact(message), cause === undefined ? {} : { cause: copyOf(cause) })
    return Object.assign(error, { name: redact(name), code: redact(code) })
  }
  const copy = copyOf(toErrorData(thrown, 'MODEL_FAILED'))
  if (thrown instanceof Error && thrown.stack !== undefined) copy.stack = redact(thrown.stack)
  return isApiError(thrown) && thrown.status !== undefined
    ? Object.assign(copy, { status: thrown.status })
    : copy
}
