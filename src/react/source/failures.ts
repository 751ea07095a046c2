/** Failures of requests, as errors with stable codes. */
import { TroupeError } from '../../index.ts'
import { errorKind, isRecord } from '../../kit/index.ts'

/** The server has answered a request with an error. */
export class RequestError extends TroupeError {
  static override readonly [errorKind] = 'RequestError'
  /** The status of the answer. */
  readonly status: number

  constructor(status: number, code: string, message: string) {
    super(code, message)
    this.status = status
  }
}

/** The error of an answer; that of another program, such as a proxy, has no text of ours. */
export async function requestErrorOf(response: Response): Promise<RequestError> {
  const { status } = response
  const body: unknown = await response.json().catch(() => undefined)
  const error = isRecord(body) ? body['error'] : undefined
  return isRecord(error) && typeof error['code'] === 'string'
    ? new RequestError(status, error['code'], String(error['message']))
    : new RequestError(status, 'REQUEST_FAILED', `The server has answered with the status ${status}.`)
}

/** Whether the same request may succeed later. */
export function mayPass(error: unknown): boolean {
  return (
    !(error instanceof RequestError) || error.status >= 500 || error.status === 408 || error.status === 429
  )
}

/** An error of the platform, such as that of a lost connection, gets a code. */
export function asTroupeError(error: unknown): TroupeError {
  if (error instanceof TroupeError) return error
  const message = error instanceof Error ? error.message : String(error)
  return new TroupeError('CONNECTION_LOST', `The connection to the run is lost: ${message}`, { cause: error })
}
