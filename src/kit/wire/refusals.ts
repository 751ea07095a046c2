/** Requests that are refused: a status, and the error as data. */
import { ConfigurationError, TroupeDrainingError, TroupeError, type ErrorCode } from '../../errors.ts'
import { errorKind } from '../../errors/kinds.ts'
import { cannotGoOn, codeOfStop } from '../../runtime/cannot-go-on.ts'

/** A request that is answered with an error. */
export class RefusedRequest extends TroupeError {
  static override readonly [errorKind] = 'RefusedRequest'
  readonly status: number
  readonly headers: Readonly<Record<string, string>>

  constructor(
    status: number,
    code: ErrorCode,
    message: string,
    headers: Readonly<Record<string, string>> = {},
  ) {
    super(code, message)
    this.status = status
    this.headers = headers
  }
}

/** Status 404. The path is cut to 80 characters. */
export function notFound(path: string): RefusedRequest {
  return new RefusedRequest(404, 'NOT_FOUND', `There is nothing at ${path.slice(0, 80)}.`)
}

/** `message`: a sentence. */
export function wrongRequest(message: string): RefusedRequest {
  return new RefusedRequest(400, 'INVALID_REQUEST', message)
}

/** A request that is within its bytes, and of which a part has too many of something. */
export function tooMany(what: string, of: string, most: number): RefusedRequest {
  return new RefusedRequest(413, 'REQUEST_TOO_LARGE', `${what} has more than ${most} ${of}.`)
}

/** Status 403. `message`: a sentence. */
export function forbidden(message = 'This is not allowed.'): RefusedRequest {
  return new RefusedRequest(403, 'FORBIDDEN', message)
}

/** Status 405, with the methods that are allowed. */
export function wrongMethod(methods: readonly string[]): RefusedRequest {
  const allowed = [...new Set(methods)]
  return new RefusedRequest(405, 'METHOD_NOT_ALLOWED', `Use ${allowed.join(' or ')}.`, {
    allow: allowed.join(', '),
  })
}

/** `message`: a sentence. */
export function unauthorised(message: string): RefusedRequest {
  return new RefusedRequest(401, 'UNAUTHORISED', message)
}

/** `reason`: as a sentence. */
export function unavailable(reason: string): RefusedRequest {
  return new RefusedRequest(409, 'UNAVAILABLE', reason)
}

/** The value that `read` makes of a part of a request. A `ConfigurationError` is then the mistake of the client. */
export function readAs<Value>(read: () => Value): Value {
  try {
    return read()
  } catch (error) {
    throw error instanceof ConfigurationError ? wrongRequest(error.message) : error
  }
}

/** As `readAs`, of an action that takes a part of a request. A run that cannot go on is no mistake of the client. */
export async function takenAs<Value>(take: () => Promise<Value>): Promise<Value> {
  try {
    return await take()
  } catch (error) {
    if (cannotGoOn(error) || !(error instanceof ConfigurationError)) throw error
    throw wrongRequest(error.message)
  }
}

/** The statuses of errors that are the client's to know. Those of all signals are here: a type holds it. */
const known = {
  RUN_NOT_FOUND: 404,
  RUN_EXISTS: 409,
  RUN_OWNED: 409,
  LEASE_LOST: 409,
  UNKNOWN_SIGNAL: 409,
  SIGNAL_ALREADY_ANSWERED: 409,
  SIGNAL_TOO_LATE: 409,
  SIGNAL_TYPE_MISMATCH: 409,
  SIGNAL_ARGS_INVALID: 409,
  SIGNAL_NOT_SUPPORTED: 409,
  SIGNAL_TOO_MANY: 409,
  SIGNAL_TRIPPED: 409,
  RUN_NOT_ENDED: 409,
  SCHEDULE_NOT_FOUND: 404,
} satisfies Readonly<
  Record<
    | Extract<ErrorCode, `${string}SIGNAL${string}`>
    | 'RUN_NOT_FOUND'
    | 'RUN_EXISTS'
    | 'RUN_OWNED'
    | 'LEASE_LOST'
    | 'RUN_NOT_ENDED'
    | 'SCHEDULE_NOT_FOUND',
    number
  >
>
const statuses: Readonly<Record<string, number>> = known

/** Errors that pass: the client may try again. */
const passing: readonly string[] = [
  'TROUPE_DRAINING',
  'TROUPE_CLOSED',
  'STORE_BUSY',
  'STORE_UNREACHABLE',
  'RESTATE_UNREACHABLE',
]

/** The status of the answer for an error: the same on every server. 500: it says nothing about the request. */
export function statusOf(error: unknown): number {
  if (error instanceof RefusedRequest) return error.status
  if (!(error instanceof TroupeError)) return 500
  if (cannotGoOn(error)) return 409
  return passing.includes(error.code) ? 503 : (statuses[error.code] ?? 500)
}

/** The headers of the answer for an error. */
export function headersOf(error: unknown): Readonly<Record<string, string>> {
  if (error instanceof RefusedRequest) return error.headers
  return statusOf(error) === 503 ? { 'retry-after': '1' } : {}
}

/**
 * The refusal for an error, where the client is to know of the error; `undefined`: it is a fault of the server, of which the
 * client is told nothing.
 */
export function refusalOf(error: unknown): RefusedRequest | undefined {
  if (error instanceof RefusedRequest) return error
  const status = statusOf(error)
  if (error instanceof TroupeDrainingError)
    return new RefusedRequest(
      status,
      error.code,
      'This server takes no runs any more: try again.',
      headersOf(error),
    )
  if (!(error instanceof TroupeError) || status >= 500) return undefined
  const stop = codeOfStop(error)
  return stop === undefined
    ? new RefusedRequest(status, error.code, error.message)
    : new RefusedRequest(status, stop, 'The run cannot go on here.')
}

/** The answer to a request that the server failed to meet. */
export function serverFailure(error?: unknown): RefusedRequest {
  const status = statusOf(error)
  return status === 503
    ? new RefusedRequest(503, 'SERVER_FAILED', 'The server cannot answer at the moment.', headersOf(error))
    : new RefusedRequest(500, 'SERVER_FAILED', 'The server failed to answer.')
}
