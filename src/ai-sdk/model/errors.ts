/** The errors of the AI SDK and its providers as ours, whose class decides how the runtime handles them. */
import { RetryableError, TerminalError, TroupeError } from '../../index.ts'
import { isRecord, retryAfterMs, withinPatience } from '../../kit/index.ts'
import { type Verdict, chainOf, deepestMessage, give, isCutBody, retry, verdictOf } from '../../kit/host.ts'

/** The AI SDK's `APICallError`, known by its shape: there may be several copies of the package. */
interface ApiCallError extends Error {
  readonly isRetryable: boolean
  readonly statusCode?: number
  readonly responseHeaders?: Readonly<Record<string, string>>
  readonly data?: unknown
}

/** By name, errors that are no answer of a server. */
const named: Readonly<Record<string, Verdict>> = {
  AI_LoadAPIKeyError: give('MISSING_API_KEY'),
  AI_LoadSettingError: give('INVALID_REQUEST'),
  AI_NoSuchModelError: give('MODEL_NOT_FOUND'),
  AI_InvalidArgumentError: give('INVALID_REQUEST'),
  AI_InvalidPromptError: give('INVALID_REQUEST'),
  AI_UnsupportedFunctionalityError: give('INVALID_REQUEST'),
  AI_EmptyResponseBodyError: retry('MODEL_REPLY_INVALID'),
  AI_InvalidResponseDataError: retry('MODEL_REPLY_INVALID'),
  AI_JSONParseError: retry('MODEL_REPLY_INVALID'),
  AI_NoContentGeneratedError: retry('MODEL_REPLY_INVALID'),
  AI_TypeValidationError: retry('MODEL_REPLY_INVALID'),
  SyntaxError: retry('MODEL_REPLY_INVALID'),
}

/** `isStreaming`: the reply had begun, so an error that the provider does not explain is a cut connection. */
export function toModelError(thrown: unknown, model: string, isStreaming: boolean): TroupeError {
  if (thrown instanceof TroupeError) return thrown
  if (isApiCallError(thrown)) return callError(thrown, model)
  const verdict = chainOf(thrown).flatMap((error) => verdictOfName(error) ?? [])[0]
  if (verdict !== undefined) return toError(verdict, model, 'failed', { thrown })
  if (isStreaming) return toError(retry('MODEL_STREAM_CUT'), model, 'had its stream cut', { thrown })
  if (isCutBody(thrown))
    return toError(retry('MODEL_REPLY_INCOMPLETE'), model, 'had its reply cut', { thrown })
  return toError(give('MODEL_FAILED'), model, 'failed', { thrown })
}

function verdictOfName({ name, message }: Error): Verdict | undefined {
  const isOfFile = name === 'AI_UnsupportedFunctionalityError' && /\bmedia type\b|\bfile\b/i.test(message)
  return isOfFile ? give('FILE_NOT_ACCEPTED') : named[name]
}

/** An error that came as a part of a stream: an error of the AI SDK, or the words of the server in any form. */
export function streamedError(error: unknown, model: string): TroupeError {
  if (error instanceof Error) return toModelError(error, model, true)
  const inner = isRecord(error) && isRecord(error['error']) ? error['error'] : error
  const words = wordsOf(inner)
  return toError(verdictOf(undefined, inner, words), model, 'reported an error', { words })
}

function callError(error: ApiCallError, model: string): TroupeError {
  const { statusCode, responseHeaders, message } = error
  const wait = retryAfterMs(new Headers(responseHeaders), Date.now())
  const answered = statusCode === undefined ? 'could not be reached' : `answered ${statusCode}`
  const words = statusCode === undefined ? deepestMessage(error) : message
  return toError(verdictOfCall(error), model, answered, { words, thrown: error, retryAfterMs: wait })
}

/** The AI SDK decides on another attempt, except where a quota is used up: it takes any 429 for a rate limit. */
function verdictOfCall(error: ApiCallError): Verdict {
  const { isRetryable, statusCode, data, message } = error
  if (statusCode === undefined) {
    return isRetryable ? retry('MODEL_UNREACHABLE') : { code: 'INVALID_REQUEST', retryable: false }
  }
  if (statusCode < 400) {
    const isUnreadable = chainOf(error).some(({ name }) => name in named)
    return isUnreadable || isRetryable ? retry('MODEL_REPLY_INVALID') : retry('MODEL_REPLY_INCOMPLETE')
  }
  const body = isRecord(data) && isRecord(data['error']) ? data['error'] : data
  const verdict = verdictOf(statusCode, body, message)
  if (verdict.code === 'QUOTA_EXCEEDED' || verdict.retryable === isRetryable) return verdict
  return { code: isRetryable ? 'MODEL_UNAVAILABLE' : verdict.code, retryable: isRetryable }
}

function isApiCallError(thrown: unknown): thrown is ApiCallError {
  return thrown instanceof Error && typeof Reflect.get(thrown, 'isRetryable') === 'boolean'
}

function wordsOf(error: unknown): string {
  if (typeof error === 'string') return error
  if (isRecord(error) && typeof error['message'] === 'string') return error['message']
  return JSON.stringify(error) ?? 'nothing that can be shown'
}

const longestDetail = 600

interface Reason {
  readonly words?: string
  readonly thrown?: unknown
  readonly retryAfterMs?: number | undefined
}

function toError(
  { code, retryable }: Verdict,
  model: string,
  what: string,
  { thrown, words = deepestMessage(thrown), retryAfterMs }: Reason,
): TroupeError {
  const short = words.length > longestDetail ? `${words.slice(0, longestDetail)}…` : words
  const message = `Model "${model}" ${what}: ${short}`
  const cause = thrown === undefined ? {} : { cause: thrown }
  if (!retryable) return new TerminalError(message, { code, ...cause })
  const wait = retryAfterMs === undefined ? {} : { retryAfterMs }
  return withinPatience(new RetryableError(message, { code, ...cause, ...wait }))
}
