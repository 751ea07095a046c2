/**
 * The size limits of data that goes to Restate, in bytes of JSON. Restate takes no message of more than 32 MiB, and
 * retries the sender of one without end; so all data that users and models can make large is measured before.
 */
import { TerminalError, type ErrorData } from '../../errors.ts'

const MiB = 1024 * 1024

export const largest = {
  /** The outcome of a step. It is kept twice, and results hold several. */
  outcome: 8 * MiB,
  /** The request that starts a run or a subagent, and a signal to a run. */
  request: 8 * MiB,
  /** The report of a subagent: one entry of the journal of its parent. */
  report: 16 * MiB,
  /** Entries that are kept as one turn: any single entry fits. */
  turn: 20 * MiB,
  /** Turns that are read at once, where there is more than one. */
  reply: 8 * MiB,
} as const

/** `what`: the subject of the message, at the start of a sentence. */
export function outcomeTooLarge(what: string, limit: keyof typeof largest, size: number): ErrorData {
  return {
    name: 'TerminalError',
    code: 'OUTCOME_TOO_LARGE',
    message: `${what} has ${size} bytes as JSON, and on Restate it may have ${largest[limit]}. Keep it elsewhere, and give where it is.`,
  }
}

export function requestTooLarge(what: string, size: number): ErrorData {
  return { ...outcomeTooLarge(what, 'request', size), code: 'REQUEST_TOO_LARGE' }
}

/** Throws a `TerminalError`, which ends the invocation, for a size above that of the largest turn. */
export function assertOutcome(what: string, size: number): void {
  if (size > largest.turn) throw terminal(outcomeTooLarge(what, 'turn', size))
}

/** Throws a `TerminalError`, which ends the invocation. */
export function assertRequest(what: string, size: number): void {
  if (size > largest.request) throw terminal(requestTooLarge(what, size))
}

const encoder = new TextEncoder()

/** The size of a value as JSON. */
export function sizeOf(value: unknown): number {
  return encoder.encode(JSON.stringify(value)).length
}

function terminal({ message, code }: ErrorData): TerminalError {
  return new TerminalError(message, { code })
}
