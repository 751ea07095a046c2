/** Refused requests: a status, and the error as data. */
import { cannotGoOn } from '../../runtime/cannot-go-on.ts'
import { toErrorData, TroupeError, type ErrorCode, type ErrorData } from '../../errors.ts'

/** A request that the server does not answer. */
export class RefusedRequest extends TroupeError {
  readonly status: number

  constructor(status: number, code: ErrorCode, message: string) {
    super(code, message)
    this.status = status
  }
}

export function notFound(path: string): RefusedRequest {
  return new RefusedRequest(404, 'NOT_FOUND', `There is nothing at ${path}.`)
}

export function wrongRequest(message: string): RefusedRequest {
  return new RefusedRequest(400, 'INVALID_REQUEST', message)
}

/** `reason`: as a sentence. */
export function unavailable(reason: string): RefusedRequest {
  return new RefusedRequest(409, 'UNAVAILABLE', reason)
}

const statuses: Readonly<Record<string, number>> = {
  INVALID_CONFIGURATION: 400,
  STORE_LACKS_PORT: 400,
  RUN_NOT_FOUND: 404,
  UNKNOWN_SIGNAL: 409,
  SIGNAL_ALREADY_ANSWERED: 409,
  SIGNAL_TOO_LATE: 409,
  SIGNAL_TYPE_MISMATCH: 409,
  SIGNAL_ARGS_INVALID: 409,
  SIGNAL_NOT_SUPPORTED: 409,
  SIGNAL_TOO_MANY: 409,
  RUN_NOT_ENDED: 409,
  RUN_OWNED: 409,
  LEASE_LOST: 409,
  TROUPE_CLOSED: 503,
  RESTATE_UNREACHABLE: 502,
}

/** The status of an answer for an error; 500: it says nothing about the request. */
export function statusOf(error: unknown): number {
  if (error instanceof RefusedRequest) return error.status
  if (cannotGoOn(error)) return 409
  if (!(error instanceof TroupeError)) return 500
  return statuses[error.code] ?? (error.code.startsWith('STORE_') ? 503 : 500)
}

export function refusalData(error: unknown): ErrorData {
  return toErrorData(error)
}
