/** Sorts the errors of calls: each says whether the server may have received the call, and whether the connection is gone. */
import { RetryableError, TerminalError } from '../../index.ts'
import { isRecord } from '../../kit/index.ts'

export interface Failure {
  /**
   * `unsent`: the server has not begun the call. `doubtful`: it may have. `refused`: it has answered with an error.
   * `unauthorised`: the credentials are missing or refused.
   */
  readonly kind: 'unsent' | 'doubtful' | 'refused' | 'unauthorised' | 'timeout'
  /** The connection cannot be used any more. */
  readonly isLost: boolean
}

/** Errors of the network under which no request has left. */
const neverSent = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'ENETUNREACH', 'EHOSTUNREACH']

/** Errors of a pipe or a socket that has ended. */
const cut = ['EPIPE', 'ECONNRESET', 'ERR_STREAM_DESTROYED', 'ERR_STREAM_WRITE_AFTER_END', 'UND_ERR_SOCKET']

/** Errors of the package `@modelcontextprotocol/client` about credentials: the server's, and the authorization server's. */
const aboutCredentials = ['UnauthorizedError', 'OAuthError', 'OAuthClientFlowError', 'InsufficientScopeError']

/** Statuses with which a server, or a proxy before it, turns a request away for now. */
const busy = [429, 503]

export function failureOf(error: unknown): Failure {
  const answer = answerOf(error)
  if (answer !== undefined) return failureOfAnswer(answer)
  if (namesOf(error).some((name) => aboutCredentials.includes(name))) return unauthorised
  const codes = codesOf(error)
  if (codes.includes('REQUEST_TIMEOUT')) return { kind: 'timeout', isLost: false }
  if (codes.includes('NOT_CONNECTED')) return { kind: 'unsent', isLost: true }
  if (codes.some((code) => neverSent.includes(code))) return { kind: 'unsent', isLost: true }
  if (codes.some((code) => code === 'CONNECTION_CLOSED' || code === 'SEND_FAILED' || cut.includes(code))) {
    return { kind: 'doubtful', isLost: true }
  }
  // `fetch` rejects with a TypeError when the network fails.
  if (error instanceof TypeError) return { kind: 'doubtful', isLost: true }
  return { kind: 'refused', isLost: false }
}

const unauthorised: Failure = { kind: 'unauthorised', isLost: false }

/** An answer of HTTP that is no answer of the protocol. */
interface HttpAnswer {
  readonly status: number
  readonly text: string
}

function failureOfAnswer({ status, text }: HttpAnswer): Failure {
  if (status === 401 || status === 403) return unauthorised
  // The server does not know the session, for example since it was started again; many say so with status 400.
  if (status === 404 || (status === 400 && /session/i.test(text))) return { kind: 'unsent', isLost: true }
  if (busy.includes(status)) return { kind: 'unsent', isLost: false }
  return { kind: status >= 500 ? 'doubtful' : 'refused', isLost: false }
}

function answerOf(error: unknown): HttpAnswer | undefined {
  const data = isError(error) ? error['data'] : undefined
  if (!isRecord(data) || typeof data['status'] !== 'number') return undefined
  return { status: data['status'], text: typeof data['text'] === 'string' ? data['text'] : '' }
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
  if (kind === 'refused') {
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
