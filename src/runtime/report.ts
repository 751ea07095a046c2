/** Errors that no caller receives go to the developer: to `onError`, by default to the console. */
import { toErrorData, type ErrorCode } from '../errors.ts'
import type { ProblemCode } from './problem-codes.ts'

/**
 * An error that no caller receives, and where it arose. A logger that writes its fields writes names and ids alone: what may
 * hold text of a model, a tool or a person is not enumerable: `error`, `request`, `threadId` and `resourceId`.
 */
export interface Problem {
  /** What happened, stable and machine-readable: see docs/reference/problems.md. */
  readonly code: ProblemCode
  /** The failure and its consequence, in one sentence of this library. It has ids and names, and no text of an error. */
  readonly message: string
  /**
   * `effect`: a function of yours threw in a run (`effect` says which). `observer`: a subscriber, listener or inspector
   * threw. `signal`: a signal could not be delivered. `run`: a run could not go on here. `store`: an access to the
   * store failed; it is repeated. `request`: a request to `troupe/http`, `troupe/a2a` or `troupe/mcp` could not be answered
   * as asked.
   */
  readonly where: 'effect' | 'observer' | 'signal' | 'run' | 'store' | 'request'
  /** The code of `error`, where it has one that is made of capital letters, such as `STORE_FAILED` or `ECONNREFUSED`. */
  readonly errorCode?: ErrorCode
  /**
   * The value that was thrown. An `Error` has its stack here, and nowhere else: no journal and no event holds one.
   * Not enumerable: name it where you want it in a log.
   */
  readonly error: unknown
  readonly runId?: string
  /** The id of the agent. */
  readonly agent?: string
  /** The path of the actor in its run. */
  readonly path?: string
  readonly effect?: ProblemEffect
  /** The request that could not be answered. Not enumerable, for clients write it. */
  readonly request?: { readonly method: string; readonly path: string }
  /** The thread that is concerned. Not enumerable, for it may name a person. */
  readonly threadId?: string
  /** The resource whose note is concerned. Not enumerable, for it may name a person. */
  readonly resourceId?: string
}

/** A problem as its place reports it. */
export type ReportedProblem = Omit<Problem, 'errorCode' | 'runId' | 'agent' | 'path'> & {
  readonly [Name in 'runId' | 'agent' | 'path']?: string | undefined
}

/** The effect that a problem arose in. */
export interface ProblemEffect {
  /** `tool`, `hook`, `scorer`, `model`, `memory`, `config` or `agent`. */
  readonly kind: string
  /** The effect's key in the journal; stable over replays. */
  readonly key: string
  /** Of the tool, hook, processor, scorer or model. */
  readonly name?: string
}

/** Receives each problem once. An error that it throws, or rejects with, goes to the console and no further. */
export type OnError = (problem: Problem) => unknown

/** Never throws. */
export type Reporter = (problem: ReportedProblem) => void

/** Default: one `console.warn` a problem. */
export function reporterOf(onError: OnError = warn): Reporter {
  let hasFailed = false
  const failed = (problem: Problem, error: unknown): void => {
    warn(problem)
    if (hasFailed) return
    hasFailed = true
    warn({ message: 'onError threw; its later errors are not shown', error })
  }
  return (reported) => {
    const problem = problemOf(reported)
    try {
      settled(onError(problem), (error) => failed(problem, error))
    } catch (error) {
      failed(problem, error)
    }
  }
}

function problemOf(reported: ReportedProblem): Problem {
  const { error, request, threadId, resourceId, ...fields } = reported
  const errorCode = errorCodeOf(error)
  const problem = { ...fields, ...(errorCode === undefined ? {} : { errorCode }) }
  const hidden: Readonly<Record<string, unknown>> = { request, threadId, resourceId }
  const known = Object.entries(hidden).filter(([, value]) => value !== undefined)
  const whole = { ...problem, ...Object.fromEntries(known), error }
  const shown: [PropertyKey, unknown][] = [...known, ['error', error], [inspected, () => whole]]
  for (const [name, value] of shown) Object.defineProperty(problem, name, { value })
  return problem as Problem
}

/** `console.log` of Node shows a problem whole: it is for a developer, and no log in production. */
const inspected = Symbol.for('nodejs.util.inspect.custom')

/** The code of an error, where it is a name: anything else that stands there may be a text. Never throws. */
export function errorCodeOf(error: unknown): string | undefined {
  const { code } = toErrorData(error, '')
  return /^[A-Z][A-Z0-9_]{2,63}$/.test(code) ? code : undefined
}

/** Calls back when `answer` is a promise that rejects. */
export function settled(answer: unknown, onRejected: (error: unknown) => void): void {
  if (isThenable(answer)) Promise.resolve(answer).then(undefined, onRejected)
}

export function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof (value as { readonly then?: unknown } | null | undefined)?.then === 'function'
}

function warn({ message, error }: Pick<Problem, 'message' | 'error'>): void {
  /* oxlint-disable eslint/no-console -- the default of `onError` */
  try {
    console.warn(`troupe: ${message}`, error)
  } catch {
    console.warn(`troupe: ${message}`, toErrorData(error).message) // the console cannot show the error as it is
  }
  /* oxlint-enable eslint/no-console */
}
