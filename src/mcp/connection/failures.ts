/** Sorts the errors of calls: each says whether the server may have begun the call, and whether the session is gone. */
import { RetryableError, TerminalError } from '../../index.ts'
import { isRecord } from '../../kit/index.ts'
import { streamEnded } from './wire.ts'

export interface Failure {
  /**
   * `unsent`: the server has not begun the call. `doubtful`: it may have. `refused`: it has answered with an error.
   * `unauthorised`: the credentials are missing or refused. `timeout`: it has not answered in time.
   */
  readonly kind: 'unsent' | 'doubtful' | 'refused' | 'unauthorised' | 'timeout'
  /** Whether the session is gone. `unknown`: the server is asked by the same session. */
  readonly session: 'lives' | 'gone' | 'unknown'
}

/** Errors of the network under which no request has left. */
const neverSent = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'ENETUNREACH', 'EHOSTUNREACH']

/** Errors of a pipe or a socket that has ended. */
const cut = ['EPIPE', 'ECONNRESET', 'ERR_STREAM_DESTROYED', 'ERR_STREAM_WRITE_AFTER_END', 'UND_ERR_SOCKET']

/** Errors of the package `@modelcontextprotocol/client` about credentials: the server's, and the authorization server's. */
const aboutCredentials = ['UnauthorizedError', 'OAuthError', 'OAuthClientFlowError', 'InsufficientScopeError']

/** Statuses with which a server, or a proxy before it, turns a request away for now. */
const busy = [429, 503]

/** Statuses that speak of the one request, and of no session. */
const ofTheRequest = [413, 414, 431]

/** Codes of the protocol by which a server that knows the session does not know the request, or its parameters. */
const ofTheMethod = [-32_601, -32_602]

/** Errors of a client that has no connection any more: the request has not left. */
const notConnected = ['NOT_CONNECTED']

export function failureOf(error: unknown): Failure {
  if (isStreamEnd(error)) return { kind: 'doubtful', session: 'unknown' }
  // An error of the protocol: of the call, or of the session, in words that each server chooses.
  if (protocolCodeOf(error) !== undefined) return { kind: 'refused', session: 'unknown' }
  const status = statusOf(error)
  if (status !== undefined) return failureOfStatus(status)
  if (namesOf(error).some((name) => aboutCredentials.includes(name))) return unauthorised
  const codes = codesOf(error)
  if (codes.includes('REQUEST_TIMEOUT')) return { kind: 'timeout', session: 'lives' }
  if (codes.some((code) => notConnected.includes(code)) || isWithoutTransport(error)) return unsent
  if (codes.some((code) => neverSent.includes(code))) return unsent
  if (codes.some((code) => code === 'CONNECTION_CLOSED' || code === 'SEND_FAILED' || cut.includes(code))) {
    return { kind: 'doubtful', session: 'gone' }
  }
  // `fetch` rejects with a TypeError when the network fails.
  if (error instanceof TypeError) return { kind: 'doubtful', session: 'gone' }
  return { kind: 'refused', session: 'lives' }
}

const unauthorised: Failure = { kind: 'unauthorised', session: 'gone' }

const unsent: Failure = { kind: 'unsent', session: 'gone' }

/** An answer of HTTP that is no answer of the protocol. */
function failureOfStatus(status: number): Failure {
  if (status === 401) return unauthorised
  if (status === 403) return { kind: 'unauthorised', session: 'lives' }
  if (busy.includes(status)) return { kind: 'unsent', session: 'lives' }
  if (ofTheRequest.includes(status)) return { kind: 'refused', session: 'lives' }
  if (status === 408 || status >= 500) return { kind: 'doubtful', session: 'unknown' }
  // The server has not taken the request. It may not know the session, since it was started again: each says so in its own words.
  return unsent
}

/**
 * What the failure of a call is, by what the same session then answers to a plain request: `undefined` where it lives. An error
 * that both have is of the session, and the call was never begun.
 */
export function failureBeside(failure: Failure, error: unknown, refusal: unknown): Failure {
  if (refusal === undefined || ofTheMethod.includes(protocolCodeOf(refusal) ?? 0)) {
    return { ...failure, session: 'lives' }
  }
  const isOfSession = failure.kind === 'refused' && isSameError(error, refusal) && !isAboutTime(error)
  return { kind: isOfSession ? 'unsent' : failure.kind, session: 'gone' }
}

/** An answer of HTTP by which a server takes no such request, from whatever session. A status 404 may pass. */
export function isRefusedRequest(error: unknown): boolean {
  const status = protocolCodeOf(error) === undefined ? statusOf(error) : undefined
  return status !== undefined && status < 500 && ![404, 408, ...busy].includes(status)
}

function isSameError(error: unknown, other: unknown): boolean {
  const code = protocolCodeOf(error)
  return code !== undefined && code === protocolCodeOf(other)
}

/** A proxy says so when the server behind it does not answer: the call may go on there. */
function isAboutTime(error: unknown): boolean {
  return /time[d]?[ -]?out/i.test(messageOf(error).slice(0, 1000))
}

function isStreamEnd(error: unknown): boolean {
  return isError(error) && error['data'] === streamEnded
}

/** The package gives this error no code. */
function isWithoutTransport(error: unknown): boolean {
  return error instanceof Error && error.message === 'Not connected'
}

/** The code of an error that the server has answered with. */
function protocolCodeOf(error: unknown): number | undefined {
  const code = isError(error) ? error['code'] : undefined
  return typeof code === 'number' ? code : undefined
}

/** The status of an answer that is no success. */
function statusOf(error: unknown): number | undefined {
  const data = isError(error) ? error['data'] : undefined
  return isRecord(data) && typeof data['status'] === 'number' ? data['status'] : undefined
}

function codesOf(error: unknown): readonly string[] {
  return chainOf(error).flatMap(({ code }) => (typeof code === 'string' ? [code] : []))
}

function namesOf(error: unknown): readonly string[] {
  return chainOf(error).map(({ name }) => name)
}

/** An error and its causes. */
function chainOf(error: unknown): readonly (Error & Readonly<Record<string, unknown>>)[] {
  const chain: (Error & Readonly<Record<string, unknown>>)[] = []
  for (let at = error; isError(at) && chain.length < 8; at = at['cause']) chain.push(at)
  return chain
}

function isError(value: unknown): value is Error & Readonly<Record<string, unknown>> {
  return value instanceof Error
}

/** The error of a connection that could not be made, and of tools that could not be listed. */
export function unavailable(error: unknown): RetryableError | TerminalError {
  const { kind } = failureOf(error)
  if (kind === 'unauthorised') return unauthorisedError(error)
  if (kind === 'refused' || isRefusedRequest(error)) {
    const message = `The MCP server refuses the connection: ${messageOf(error)}`
    return new TerminalError(message, { code: 'MCP_REFUSED', cause: error })
  }
  const message = `The MCP server cannot be reached: ${messageOf(error)}`
  return new RetryableError(message, { code: 'MCP_UNAVAILABLE', cause: error })
}

/** The error of a call, or of a connection, without credentials that the server takes. */
export function unauthorisedError(error: unknown): TerminalError {
  return new TerminalError(`The MCP server takes no call with these credentials: ${messageOf(error)}`, {
    code: 'UNAUTHORISED',
    cause: error,
  })
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
