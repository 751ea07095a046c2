/**
 * The error taxonomy. The class of an error decides how the runtime handles it: the statechart retries a
 * `RetryableError` and not a `TerminalError`; a `ConfigurationError` is the caller's mistake and is thrown at once.
 * Inside runs errors are plain data (`ErrorData`), so that they survive the journal.
 */
import type { ErrorCode } from './errors/codes.ts'
import { errorKind, isOfKind, kindsOf } from './errors/kinds.ts'
import { read, show, shown } from './errors/texts.ts'

export type { ErrorCode } from './errors/codes.ts'

/** An error as plain data, in journals, events and results. */
export interface ErrorData {
  readonly name: string
  /** Stable and machine-readable, for example `RATE_LIMITED`. */
  readonly code: ErrorCode
  readonly message: string
  readonly cause?: ErrorData
  /** Set when trying again may help. */
  readonly retryable?: true
  /** The wait that the other side asked for, in milliseconds. */
  readonly retryAfterMs?: number
  /** Of a failed model call of an agent with several models: the model that was called, and the next model of the row. */
  readonly called?: {
    /** Provider and model id. */
    readonly model: string
    /** Absent: it is the last one. */
    readonly next?: string
  }
}

/** The model of one call, and the model that follows it in the row of its agent. */
export type CalledModel = NonNullable<ErrorData['called']>

/** The options that all errors have. */
export interface TroupeErrorOptions {
  cause?: unknown
  /** The run that the error is about. */
  runId?: string
}

/** The base of every error of this library; `code` is stable across releases. `instanceof` knows errors of other copies too. */
export class TroupeError extends Error {
  static readonly [errorKind]: string = 'TroupeError'

  /** Another copy of the package has classes of its own: its errors are known by the names of these. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return Function.prototype[Symbol.hasInstance].call(this, value) || isOfKind(this, value)
  }

  /** Stable and machine-readable: branch on it, not on the message. */
  readonly code: ErrorCode
  /** Set on every error that a handle of a run rejects with. */
  declare readonly runId?: string
  constructor(code: ErrorCode, message: string, options: TroupeErrorOptions = {}) {
    const { runId, ...given } = options
    super(message, given)
    this.name = Object.hasOwn(new.target, errorKind) ? new.target[errorKind] : new.target.name
    this.code = code
    if (runId !== undefined) this.runId = runId
  }

  /** The kinds of the error, its own first. */
  get [errorKind](): readonly string[] {
    return kindsOf(this.constructor)
  }
}

/** The caller's mistake in a definition or option: thrown at once, names the fault, its place and the expectation. */
export class ConfigurationError extends TroupeError {
  static override readonly [errorKind] = 'ConfigurationError'
  constructor(message: string, options: ConfigurationErrorOptions = {}) {
    super(options.code ?? 'INVALID_CONFIGURATION', message, options)
  }
}

/** The options of a `ConfigurationError`. */
export interface ConfigurationErrorOptions extends TroupeErrorOptions {
  /** `STORE_LACKS_PORT`: the store has not the port. `TENANT_MISSING`: a run names no tenant. Default: `INVALID_CONFIGURATION`. */
  code?: 'INVALID_CONFIGURATION' | 'STORE_LACKS_PORT' | 'TENANT_MISSING'
}

/** The options of a `RetryableError`. */
export interface RetryableErrorOptions extends TroupeErrorOptions {
  /** Default: `RETRYABLE`. */
  code?: ErrorCode
  /** How long to wait before the next attempt, in milliseconds. */
  retryAfterMs?: number
}

/** A failure that may pass: the statechart backs off and tries again, up to `retries` times. */
export class RetryableError extends TroupeError {
  static override readonly [errorKind] = 'RetryableError'
  readonly retryAfterMs: number | undefined
  constructor(message: string, options: RetryableErrorOptions = {}) {
    super(options.code ?? 'RETRYABLE', message, options)
    this.retryAfterMs = options.retryAfterMs
  }
}

/** A failure that trying again cannot mend: it is not retried. */
export class TerminalError extends TroupeError {
  static override readonly [errorKind] = 'TerminalError'
  constructor(message: string, options: TroupeErrorOptions & { code?: ErrorCode } = {}) {
    super(options.code ?? 'TERMINAL', message, options)
  }
}

/** Work that was cancelled before it had an outcome. */
export class CancelledError extends TroupeError {
  static override readonly [errorKind] = 'CancelledError'
  constructor(message = 'Cancelled', options?: TroupeErrorOptions) {
    super('CANCELLED', message, options)
  }
}

/** A model call that was not made because a limit of the run's budget is reached. */
export class BudgetExceededError extends TroupeError {
  static override readonly [errorKind] = 'BudgetExceededError'
  readonly limit: string
  constructor(limit: string, used: number, max: number, whose = 'the run') {
    super('BUDGET_EXCEEDED', `The budget of ${whose} is used up: ${limit} ${used} of ${max}.`)
    this.limit = limit
  }
}

/** An answer or a message that the run does not take: unknown, already answered, or too late. Nothing was changed. */
export class SignalError extends TroupeError {
  static override readonly [errorKind] = 'SignalError'
  readonly id: string
  constructor(
    code:
      | 'UNKNOWN_SIGNAL'
      | 'SIGNAL_ALREADY_ANSWERED'
      | 'SIGNAL_TOO_LATE'
      | 'SIGNAL_TYPE_MISMATCH'
      | 'SIGNAL_ARGS_INVALID'
      | 'SIGNAL_NOT_SUPPORTED'
      | 'SIGNAL_TOO_MANY'
      | 'SIGNAL_TRIPPED',
    id: string,
    message: string,
  ) {
    super(code, message)
    this.id = id
  }
}

/** Which entry of the journal does not fit the run, and how. */
export interface JournalMismatch {
  /** Position in the journal, from 0. */
  readonly entry: number
  readonly key?: string
  readonly field: string
  readonly recorded: unknown
  readonly actual: unknown
}

/** The words for a mismatch that the journal alone does not have. */
export interface MismatchNames {
  /** The agent that asks otherwise. */
  readonly agent?: string
  /** The parts of agents that were edited since the run began. */
  readonly edited?: string
}

/** Digests say nothing to a reader. */
function differenceOf({ field, recorded, actual }: JournalMismatch, { agent }: MismatchNames): string {
  if (field === 'digest of the input')
    return `${agent === undefined ? 'its agent' : `the agent "${agent}"`} asks there for something other than is on record.`
  return `${field} was recorded as ${show(recorded)}, but this run has ${show(actual)}${agent === undefined ? '' : `, at the agent "${agent}"`}.`
}

const endIt = 'end it: troupe.cancel(runId, reason, { force: true }).'

function remedyOf({ field, entry }: JournalMismatch, { edited }: MismatchNames): string {
  if (field === 'protocol')
    return `Its charts are of another release: replay it with the release of troupe that it began with. Or ${endIt}`
  const edits = edited === undefined ? '' : `Edited since the run began: ${edited}. `
  const fork = entry === 0 ? '' : `fork it before this entry: troupe.fork(runId, { at: ${entry} }), `
  return `${edits}Put back the agents, their version and the options that it began with, ${fork}or ${endIt}`
}

/** A replay diverged from its journal: the machine, the agent or an option has changed. */
export class JournalMismatchError extends TroupeError {
  static override readonly [errorKind] = 'JournalMismatchError'
  readonly mismatch: JournalMismatch
  constructor(mismatch: JournalMismatch, names: MismatchNames = {}) {
    const at = mismatch.key === undefined ? '' : ` (${mismatch.key})`
    super(
      'JOURNAL_MISMATCH',
      `Journal entry ${mismatch.entry}${at} does not match the run: ${differenceOf(mismatch, names)} ${remedyOf(mismatch, names)}`,
    )
    this.mismatch = mismatch
  }
}

/** The store has no run of this id. */
export class RunNotFoundError extends TroupeError {
  static override readonly [errorKind] = 'RunNotFoundError'
  declare readonly runId: string
  constructor(runId: string) {
    super('RUN_NOT_FOUND', `There is no run "${runId}" in this store.`, { runId })
  }
}

/** The fault of a store; `STORE_FAILED` is any fault without a code of its own. */
export type StoreErrorCode =
  | 'STORE_FAILED'
  /** This version of Node cannot run the store. */
  | 'STORE_UNAVAILABLE'
  /** There is no such folder, or no right to open the file. */
  | 'STORE_CANNOT_OPEN'
  /** The file may be read and not written. */
  | 'STORE_READ_ONLY'
  /** The data on disk is damaged: parts of it are missing or make no sense. */
  | 'STORE_CORRUPT'
  /** The file belongs to another program. */
  | 'STORE_FOREIGN'
  /** A later release of troupe has written it. */
  | 'STORE_NEWER'
  /** A build before the first release has written it. */
  | 'STORE_OLDER'
  /** No space is left. */
  | 'STORE_FULL'
  /** Another process keeps the file locked. */
  | 'STORE_BUSY'
  /** The server of the store does not answer. */
  | 'STORE_UNREACHABLE'
  /** Its file has been removed or replaced while it was open, or its tables have. */
  | 'STORE_GONE'
  /** It has gone back to an earlier point under a process: what was durable is gone. */
  | 'STORE_WENT_BACK'
  /** The database keeps its texts in another encoding than UTF-8, which lacks some of them. */
  | 'STORE_ENCODING'
  | 'STORE_CLOSED'
  /** The key of what is sealed was forgotten, or is elsewhere. */
  | 'SEAL_KEY_MISSING'
  /** What is sealed was changed, moved or cut, or another key has sealed it. */
  | 'SEAL_BROKEN'
  /** A codec has thrown, or has not answered in time. */
  | 'SEAL_FAILED'

/** The options of a `StoreError`. */
export interface StoreErrorOptions extends TroupeErrorOptions {
  /** Default: `STORE_FAILED`. */
  code?: StoreErrorCode
}

/**
 * A store could not be opened, read or written; its code names the fault. A run whose journal could not be written
 * stops where it was, and nothing undurable is delivered.
 */
export class StoreError extends TroupeError {
  static override readonly [errorKind] = 'StoreError'
  declare readonly code: StoreErrorCode
  constructor(message: string, options: StoreErrorOptions = {}) {
    super(options.code ?? 'STORE_FAILED', message, options)
  }
}

/** Another troupe owns the run: it can be resumed here when that troupe has ended or its lease has run out. */
export class RunOwnedError extends TroupeError {
  static override readonly [errorKind] = 'RunOwnedError'
  declare readonly runId: string
  constructor(runId: string) {
    super('RUN_OWNED', `The run "${runId}" is owned by another troupe, whose lease has not run out.`, {
      runId,
    })
  }
}

/** Workers have died of the run, or stood still: it is left until `troupe.resume`, or a forced cancel. */
export class RunLeftError extends TroupeError {
  static override readonly [errorKind] = 'RunLeftError'
  declare readonly runId: string
  constructor(runId: string) {
    super(
      'RUN_LEFT',
      `The run "${runId}" is left: three workers in a row took it up, and the lease of each ran out without a new entry. ` +
        'Look at it with troupe.journal(runId). Deploy a fix and call troupe.resume(runId), or end it: troupe.cancel(runId, reason, { force: true }).',
      { runId },
    )
  }
}

/** The id that was chosen for a run is that of another run. Nothing was started. */
export class RunExistsError extends TroupeError {
  static override readonly [errorKind] = 'RunExistsError'
  declare readonly runId: string
  constructor(runId: string) {
    super('RUN_EXISTS', `There is a run with the id "${runId}": nothing was started.`, { runId })
  }
}

/** The run has not ended: it is suspended, or a process works on it. It is not deleted. */
export class RunNotEndedError extends TroupeError {
  static override readonly [errorKind] = 'RunNotEndedError'
  declare readonly runId: string
  constructor(runId: string) {
    super(
      'RUN_NOT_ENDED',
      `The run "${runId}" has not ended: cancel it, or wait for its end, to delete it. If it cannot go on: troupe.delete(runId, { force: true }).`,
      {
        runId,
      },
    )
  }
}

/** Another troupe, or a newer actor here, has taken the run over: its former actor records nothing more of it. */
export class LeaseLostError extends TroupeError {
  static override readonly [errorKind] = 'LeaseLostError'
  declare readonly runId: string
  constructor(runId: string) {
    super(
      'LEASE_LOST',
      `The run "${runId}" has been taken over by another troupe, or by a newer actor. It goes on there; ` +
        'resume it to follow it.',
      { runId },
    )
  }
}

/** The troupe was closed: no run ends by that, and another troupe may go on with each. */
export class TroupeClosedError extends TroupeError {
  static override readonly [errorKind] = 'TroupeClosedError'
  declare readonly code: 'TROUPE_CLOSED'
  /** `runId`: the run that its caller cannot follow any more. `phase`: of the troupe. Default: `closed`. */
  constructor(runId?: string, phase: 'draining' | 'closed' = 'closed') {
    const message = phase === 'closed' ? 'This troupe was closed.' : 'This troupe drains.'
    if (runId === undefined) super('TROUPE_CLOSED', message)
    else
      super(
        'TROUPE_CLOSED',
        `${message} The run "${runId}" is not ended by that: resume it with another troupe.`,
        { runId },
      )
  }
}

/** The troupe drains: it takes no run any more, and another process may. Nothing was started. */
export class TroupeDrainingError extends TroupeError {
  static override readonly [errorKind] = 'TroupeDrainingError'
  declare readonly code: 'TROUPE_DRAINING'
  constructor() {
    super('TROUPE_DRAINING', 'This troupe drains, and takes no runs any more: ask another process.')
  }
}

/** A tool or a workflow cannot begin the run that it asks for. Nothing was started. */
export class NestedRunError extends TroupeError {
  static override readonly [errorKind] = 'NestedRunError'
  declare readonly code: 'NESTED_RUN_DIFFERS' | 'NESTED_RUN_UNSUPPORTED'
}

/** Builds the error to throw from the error data of a run: it has the name, code, message and cause of the data. */
export function errorOf({ name, code, message, cause }: ErrorData, runId: string): TroupeError {
  const error = new TroupeError(code, message, {
    runId,
    ...(cause === undefined ? {} : { cause: errorOf(cause, runId) }),
  })
  error.name = name
  return error
}

/** Turns anything that was thrown into plain data, without credentials; never throws itself. */
export function toErrorData(thrown: unknown, fallbackCode = 'UNKNOWN'): ErrorData {
  try {
    return normalise(thrown, fallbackCode, 0)
  } catch {
    return { name: 'Error', code: fallbackCode, message: 'Something was thrown that cannot be looked at.' }
  }
}

const maxCauses = 4

function normalise(thrown: unknown, fallbackCode: string, depth: number): ErrorData {
  if (thrown === null || typeof thrown !== 'object') {
    return { name: 'Error', code: fallbackCode, message: shown(show(thrown)) }
  }
  const name = read(thrown, 'name')
  const code = read(thrown, 'code')
  const message = read(thrown, 'message')
  const cause = read(thrown, 'cause')
  const retryAfterMs = read(thrown, 'retryAfterMs')
  return {
    name: typeof name === 'string' && name !== '' ? shown(name) : 'Error',
    code: typeof code === 'string' && code !== '' ? shown(code) : fallbackCode,
    message: shown(typeof message === 'string' ? message : show(thrown)),
    ...(cause != null && depth < maxCauses ? { cause: normalise(cause, fallbackCode, depth + 1) } : {}),
    ...(thrown instanceof RetryableError || read(thrown, 'retryable') === true
      ? { retryable: true as const }
      : {}),
    ...(typeof retryAfterMs === 'number' && Number.isFinite(retryAfterMs) && retryAfterMs >= 0
      ? { retryAfterMs }
      : {}),
    ...(depth === 0 ? calledIn(read(thrown, 'called')) : {}),
  }
}

/** Errors of the library that are on record keep their model; no field of a foreign error looks like that. */
function calledIn(given: unknown): Pick<ErrorData, 'called'> {
  if (given === null || typeof given !== 'object') return {}
  const [model, next] = [read(given, 'model'), read(given, 'next')]
  if (typeof model !== 'string') return {}
  return { called: { model: shown(model), ...(typeof next === 'string' ? { next: shown(next) } : {}) } }
}
