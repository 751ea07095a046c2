/** Why a request has no answer. */
import type { ErrorData } from '../../../index.ts'

/** The server has refused the request. */
export class RefusedError extends Error {
  readonly status: number
  readonly code: string
  constructor(status: number, { code, message }: Pick<ErrorData, 'code' | 'message'>) {
    super(message)
    this.name = 'RefusedError'
    this.status = status
    this.code = code
  }
}

/** The server does not answer. */
export class UnreachableError extends Error {
  constructor(cause: unknown) {
    super('The inspector does not answer. Is its process still running?', { cause })
    this.name = 'UnreachableError'
  }
}

/** The server does not take the token of this page. */
export function isUnauthorized(error: unknown): boolean {
  return error instanceof RefusedError && (error.status === 401 || error.status === 403)
}

/** There is no such run. */
export function isNotFound(error: unknown): boolean {
  return error instanceof RefusedError && error.status === 404
}

/** A request that the page itself has given up. */
export function isAborted(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'AbortError'
}

/** What to show of a failed request. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
