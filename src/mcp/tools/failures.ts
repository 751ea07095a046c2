/** Sorts the errors of calls: each says whether the server may have received the call, and whether the connection is gone. */
import { RetryableError, TerminalError } from '../../errors.ts'
import { isRecord } from '../../actors/values/json.ts'

export interface Failure {
  /** `unsent`: the server has not begun the call. `doubtful`: it may have. `refused`: it has answered with an error. */
  readonly kind: 'unsent' | 'doubtful' | 'refused' | 'timeout'
  /** The connection cannot be used any more. */
  readonly isLost: boolean
}

/** Errors of the network under which no request has left. */
const neverSent = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'ENETUNREACH', 'EHOSTUNREACH']

/** Errors of a pipe or a socket that has ended. */
const cut = ['EPIPE', 'ECONNRESET', 'ERR_STREAM_DESTROYED', 'ERR_STREAM_WRITE_AFTER_END', 'UND_ERR_SOCKET']

/** Statuses with which a server, or a proxy before it, turns a request away for now. */
const busy = [429, 503]

export function failureOf(error: unknown): Failure {
  const answer = answerOf(error)
  if (answer !== undefined) return failureOfAnswer(answer)
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

/** An answer of HTTP that is no answer of the protocol. */
interface HttpAnswer {
  readonly status: number
  readonly text: string
}

function failureOfAnswer({ status, text }: HttpAnswer): Failure {
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

/** The codes of an error and of its causes. */
function codesOf(error: unknown): readonly string[] {
  const codes: string[] = []
  for (let at = error, depth = 0; isError(at) && depth < 8; at = at['cause'], depth++) {
    if (typeof at['code'] === 'string') codes.push(at['code'])
  }
  return codes
}

function isError(value: unknown): value is Error & Readonly<Record<string, unknown>> {
  return value instanceof Error
}

/** The error of a connection that could not be made, and of tools that could not be listed. */
export function unavailable(error: unknown): RetryableError | TerminalError {
  if (failureOf(error).kind !== 'refused') {
    const message = `The MCP server cannot be reached: ${messageOf(error)}`
    return new RetryableError(message, { code: 'MCP_UNAVAILABLE', cause: error })
  }
  const status = answerOf(error)?.status ?? 0
  const code = [401, 403].includes(status) ? 'UNAUTHORISED' : 'MCP_REFUSED'
  return new TerminalError(`The MCP server refuses the connection: ${messageOf(error)}`, {
    code,
    cause: error,
  })
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
