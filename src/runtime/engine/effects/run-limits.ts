/** The limits of one run: its budget, and the clock that runs out when its time is up. A run without a budget has none. */
import { toErrorData, type ErrorData } from '../../../errors.ts'
import type { BudgetOptions } from '../../options/budget-options.ts'
import { Budget, type BudgetShare } from './budget.ts'
import { WallClock, type LimitedRun } from './wall-clock.ts'

export class RunLimits {
  readonly budget: Budget | undefined
  readonly wallClock: WallClock | undefined

  constructor(options: BudgetOptions | undefined, run: LimitedRun) {
    const limit = options?.wallClock
    this.budget = options && new Budget(options)
    this.wallClock = limit === undefined ? undefined : new WallClock(limit, run)
  }

  /** The run starts at logical time `at`. */
  started(at: number): void {
    this.budget?.started(at)
    this.wallClock?.resume(at)
  }

  /** Time passes that does not count. */
  postpone(span: number): void {
    this.budget?.postpone(span)
    this.wallClock?.postpone(span)
  }

  suspended(at: number): void {
    this.budget?.suspended(at)
    this.wallClock?.pause(at)
  }

  resumed(at: number): void {
    this.budget?.resumed(at)
    this.wallClock?.resume(at)
  }

  /** The clock has fired at `at`. Returns the error for the agents, or `undefined` when the run was no longer on it. */
  timeIsUp(at: number): ErrorData | undefined {
    return this.wallClock?.fired() === true ? toErrorData(this.budget?.outOfTime(at)) : undefined
  }

  /** The limits that have come near, each once. */
  warnings(at: number): readonly BudgetShare[] {
    return this.budget?.warnings(at) ?? []
  }
}
