/**
 * How large anything may be that goes to Restate, in bytes of JSON. It takes no message of more than 32 MiB, and tries
 * again and again whatever sends one; so all that users and models can make large is measured before.
 */
import { TerminalError, type ErrorData } from '../../errors.ts'

const MiB = 1024 * 1024

export const largest = {
  /** What a step comes to. It is kept twice, and results hold several. */
  outcome: 8 * MiB,
  /** What a run or a subagent begins with, and what a run is told. */
  request: 8 * MiB,
  /** What a subagent ends with: one entry of the journal of whoever waits for it. */
  report: 16 * MiB,
  /** Entries that are kept as one: any of them fits. */
  turn: 20 * MiB,
  /** Turns that are read at once, where there is more than one. */
  reply: 8 * MiB,
} as const

/** `what` begins a sentence. */
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

/** Throws a `TerminalError`, which ends what it is thrown in, for what is larger than the largest turn. */
export function assertOutcome(what: string, size: number): void {
  if (size > largest.turn) throw terminal(outcomeTooLarge(what, 'turn', size))
}

/** Throws a `TerminalError`, which ends what it is thrown in. */
export function assertRequest(what: string, size: number): void {
  if (size > largest.request) throw terminal(requestTooLarge(what, size))
}

const encoder = new TextEncoder()

/** Of a value as JSON. */
export function sizeOf(value: unknown): number {
  return encoder.encode(JSON.stringify(value)).length
}

function terminal({ message, code }: ErrorData): TerminalError {
  return new TerminalError(message, { code })
}
