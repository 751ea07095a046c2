/** Settles the promises of a run's callers: with its end, its suspension, or the loss of the run to this handle. */
import type { TroupeError } from '../../errors.ts'
import { quietly } from '../quietly.ts'
import type { FinalResult, RunResult, SuspendedResult } from './result.ts'

export class Outcome {
  readonly #end = quietly<FinalResult>()
  #idle: PromiseWithResolvers<RunResult> | undefined
  #suspended: SuspendedResult | undefined
  #isSettled = false
  #isAwaited = false

  /** Whether a caller has asked for the end. */
  get isAwaited(): boolean {
    return this.#isAwaited
  }

  /** The run has come to an end, or cannot be followed any more. */
  get isSettled(): boolean {
    return this.#isSettled
  }

  get end(): Promise<FinalResult> {
    this.#isAwaited = true
    return this.#end.promise
  }

  /** The result of the last suspension. */
  get suspended(): SuspendedResult | undefined {
    return this.#suspended
  }

  /** `isAtRest`: the run is suspended, and no signal is on its way to it. */
  whenIdle(isAtRest: boolean): Promise<RunResult> {
    if (this.#isSettled) return this.#end.promise
    if (this.#suspended !== undefined && isAtRest) return Promise.resolve(this.#suspended)
    this.#idle ??= quietly()
    return this.#idle.promise
  }

  suspend(result: SuspendedResult): void {
    this.#suspended = result
    this.#idle?.resolve(result)
    this.#idle = undefined
  }

  settle(result: FinalResult | Promise<FinalResult>): void {
    this.#isSettled = true
    this.#idle?.resolve(result)
    this.#end.resolve(result)
  }

  /** The run cannot be followed from here. It has no end on record. */
  fail(error: TroupeError): void {
    if (this.#isSettled) return
    this.#isSettled = true
    this.#idle?.reject(error)
    this.#end.reject(error)
  }
}
