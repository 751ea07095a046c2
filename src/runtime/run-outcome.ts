/** What a run tells those who wait for it: its end, or that only a person can go on. */
import type { FinalResult, RunResult, SuspendedResult } from './result.ts'

export class RunOutcome {
  readonly #end = Promise.withResolvers<FinalResult>()
  #idle: PromiseWithResolvers<RunResult> | undefined
  #suspended: SuspendedResult | undefined
  #isSettled = false
  #isAwaited = false

  /** Whether somebody has asked for the end. */
  get isAwaited(): boolean {
    return this.#isAwaited
  }

  get end(): Promise<FinalResult> {
    this.#isAwaited = true
    return this.#end.promise
  }

  /** What it said when it was suspended last. */
  get suspended(): SuspendedResult | undefined {
    return this.#suspended
  }

  /** `isAtRest`: it waits for people, and nothing is on its way to it. */
  whenIdle(isAtRest: boolean): Promise<RunResult> {
    if (this.#isSettled) return this.#end.promise
    if (this.#suspended !== undefined && isAtRest) return Promise.resolve(this.#suspended)
    this.#idle ??= Promise.withResolvers<RunResult>()
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
}
