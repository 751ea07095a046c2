/** Requests that are refused: a status, and the error as data. */
import { ConfigurationError, TroupeError, type ErrorCode } from '../../errors.ts'
import { codeOfStop } from '../cannot-go-on.ts'

/** A request that is answered with an error. */
export class RefusedRequest extends TroupeError {
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

/** A request that `authorize` has answered itself. */
export class AnsweredRequest extends Error {
  readonly response: Response

  constructor(response: Response) {
    super('authorize has answered the request.')
    this.response = response
  }
}

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

export function forbidden(): RefusedRequest {
  return new RefusedRequest(403, 'FORBIDDEN', 'This is not allowed.')
}

/** The value that `read` makes of a part of a request. A `ConfigurationError` is then the mistake of the client. */
export function readAs<Value>(read: () => Value): Value {
  try {
    return read()
  } catch (error) {
    throw error instanceof ConfigurationError ? wrongRequest(error.message) : error
  }
}

/** The statuses of errors that are the client's to know. Those of all signals are here: a type holds it. */
const known = {
  RUN_NOT_FOUND: 404,
  RUN_EXISTS: 409,
  UNKNOWN_SIGNAL: 409,
  SIGNAL_ALREADY_ANSWERED: 409,
  SIGNAL_TOO_LATE: 409,
  SIGNAL_TYPE_MISMATCH: 409,
  SIGNAL_ARGS_INVALID: 409,
  SIGNAL_NOT_SUPPORTED: 409,
  SIGNAL_TOO_MANY: 409,
  SIGNAL_TRIPPED: 409,
  RUN_NOT_ENDED: 409,
} satisfies Readonly<
  Record<
    Extract<ErrorCode, `${string}SIGNAL${string}`> | 'RUN_NOT_FOUND' | 'RUN_EXISTS' | 'RUN_NOT_ENDED',
    number
  >
>
const statuses: Readonly<Record<string, number>> = known

/** Errors that pass: the client may try again. */
const passing: readonly string[] = ['TROUPE_CLOSED', 'STORE_BUSY', 'STORE_UNREACHABLE', 'RESTATE_UNREACHABLE']

/**
 * The refusal for an error, where the client is to know of the error; `undefined`: it is a fault of the server, of which the
 * client is told nothing.
 */
export function refusalOf(error: unknown): RefusedRequest | undefined {
  if (error instanceof RefusedRequest) return error
  if (!(error instanceof TroupeError)) return undefined
  const stop = codeOfStop(error)
  if (stop !== undefined) return new RefusedRequest(409, stop, 'The run cannot go on here.')
  const status = statuses[error.code]
  return status === undefined ? undefined : new RefusedRequest(status, error.code, error.message)
}

/** The answer to a request that the server failed to meet. */
export function serverFailure(error: unknown): RefusedRequest {
  return error instanceof TroupeError && passing.includes(error.code)
    ? new RefusedRequest(503, 'SERVER_FAILED', 'The server cannot answer at the moment.', {
        'retry-after': '1',
      })
    : new RefusedRequest(500, 'SERVER_FAILED', 'The server failed to answer.')
}
