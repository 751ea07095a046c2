/** Turns a failure of the client or the server into an error, whose class decides how the runtime handles it. */
import { RetryableError, TerminalError, toErrorData, TroupeError, type ErrorData } from '../../../errors.ts'
import { isRecord } from '../../values/json.ts'
import { retryAfterMs, withinPatience } from './retry-after.ts'
import { chainOf, deepestMessage, isApiError, isCutBody } from './thrown.ts'
import { give, retry, verdictOf, type Verdict } from './verdict.ts'

export interface CallContext {
  readonly modelId: string
  /** The address that the client sends its requests to, as far as it is known. */
  readonly endpoint?: () => string | undefined
  /** Takes the secrets of the model out of a text. */
  readonly redact: (text: string) => string
}

/** The reply is no answer: a `RetryableError` that names the reply that came instead. */
export function invalidReply(call: CallContext, what: string): TroupeError {
  return toError(retry('MODEL_REPLY_INVALID'), call, 'sent', what)
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
