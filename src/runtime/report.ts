/** Errors that no caller receives go to the developer: to `onError`, by default to the console. */
import { toErrorData } from '../errors.ts'

/** An error that no caller receives, and where it arose. */
export interface Problem {
  /** The failure and its consequence, in one sentence. */
  readonly message: string
  /**
   * `effect`: a function of yours threw in a run (`effect` says which). `observer`: a subscriber, listener or inspector
   * threw. `signal`: a signal could not be delivered. `run`: a run could not go on here. `store`: an access to the
   * store failed; it is repeated. `request`: a request to `troupe/http`, `troupe/a2a` or `troupe/mcp` could not be answered
   * as asked.
   */
  readonly where: 'effect' | 'observer' | 'signal' | 'run' | 'store' | 'request'
  /** The value that was thrown. An `Error` has its stack here, and nowhere else: no journal and no event holds one. */
  readonly error: unknown
  readonly runId?: string
  /** The id of the agent. */
  readonly agent?: string
  /** The path of the actor in its run. */
  readonly path?: string
  readonly effect?: ProblemEffect
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
export type Reporter = (problem: Problem) => void

/** Default: one `console.warn` a problem. */
export function reporterOf(onError: OnError = warn): Reporter {
  let hasFailed = false
  const failed = (problem: Problem, error: unknown): void => {
    warn(problem)
    if (hasFailed) return
    hasFailed = true
    warn({ message: 'onError threw; its later errors are not shown', where: 'observer', error })
  }
  return (problem) => {
    try {
      settled(onError(problem), (error) => failed(problem, error))
    } catch (error) {
      failed(problem, error)
    }
  }
}

/** Calls back when `answer` is a promise that rejects. */
export function settled(answer: unknown, onRejected: (error: unknown) => void): void {
  if (isThenable(answer)) Promise.resolve(answer).then(undefined, onRejected)
}

export function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof (value as { readonly then?: unknown } | null | undefined)?.then === 'function'
}

function warn({ message, error }: Problem): void {
  /* oxlint-disable eslint/no-console -- the default of `onError` */
  try {
    console.warn(`troupe: ${message}`, error)
  } catch {
    console.warn(`troupe: ${message}`, toErrorData(error).message) // the console cannot show the error as it is
  }
  /* oxlint-enable eslint/no-console */
}
