/**
 * Reads the errors that the client throws. Their classes are recognised by shape, not by `instanceof`: a given client
 * may come from another copy of the package.
 */
import { isRecord } from '../../values/json.ts'

/** The client's `APIError`; a connection error is one that has neither status nor headers. */
export interface ApiError {
  readonly status: number | undefined
  readonly headers: unknown
  readonly error: unknown
  readonly message: string
}

export function isApiError(thrown: unknown): thrown is ApiError {
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
