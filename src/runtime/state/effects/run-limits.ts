/** The limits of one run: its budget, and the clock that runs out when its time is up. A run without a budget has none. */
import { toErrorData, type ErrorData } from '../../../errors.ts'
import type { BudgetOptions } from '../../options/budget-options.ts'
import { Budget, type BudgetShare } from './budget.ts'
import type { Driver } from './driver.ts'
import type { TenantCharge } from '../../tenants/tenant-charge.ts'
import { TenantWarnings, type TenantShare } from './tenant-warnings.ts'
import { WallClock } from './wall-clock.ts'

/** The time of all last turns together, as a share of `budget.wallClock`: it comes after the limit. */
const lastTurnsShare = 0.5

/** The run that is limited. */
interface LimitedRun {
  readonly driver: Driver | undefined
}

export class RunLimits {
  readonly budget: Budget | undefined
  readonly wallClock: WallClock | undefined
  readonly #lastTurns: number
  /** Where tenants have budgets: the limits that have come near, and are not told yet. */
  #tenant: { readonly warnings: TenantWarnings; readonly near: TenantShare[] } | undefined
  /** The logical time at which the last turns must have ended, once the time of the run is up. */
  #lastTurnsEnd: number | undefined

  /** `options`: as they are on record. `today`: as they are defined now, where the definition was edited. */
  constructor(options: BudgetOptions | undefined, run: LimitedRun, today?: BudgetOptions) {
    const limit = options?.wallClock
    this.#lastTurns = (limit ?? 0) * lastTurnsShare
    this.budget = options || today ? new Budget(options ?? {}, today) : undefined
    this.wallClock = limit === undefined ? undefined : new WallClock(limit, () => run.driver?.clockChanged())
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
    if (this.#lastTurnsEnd !== undefined) this.#lastTurnsEnd += span
  }

  /** Time in which no process owned the run is not taken from its last turns: they would all be left out. */
  takenOver(span: number): void {
    if (this.#lastTurnsEnd !== undefined) this.#lastTurnsEnd += Math.max(0, span)
  }

  suspended(at: number): void {
    this.budget?.suspended(at)
    this.wallClock?.pause(at)
  }

  resumed(at: number): void {
    this.budget?.resumed(at)
    this.wallClock?.resume(at)
  }

  /** The run ends, or is being cancelled. */
  stopped(): void {
    this.wallClock?.stop()
  }

  /** The clock has fired at `at`. Returns the error for the agents, or `undefined` when the run was no longer on it. */
  timeIsUp(at: number): ErrorData | undefined {
    if (this.wallClock?.fired() !== true) return undefined
    this.lastTurnsUntil(at + this.#lastTurns)
    return toErrorData(this.budget?.outOfTime(at))
  }

  /** The time of the run is up. Its last turns must have ended at logical time `end`. */
  lastTurnsUntil(end: number): void {
    this.#lastTurnsEnd = end
  }

  /** The logical time at which the last turns must have ended; `undefined`: the time of the run is not up. */
  get lastTurnsEnd(): number | undefined {
    return this.#lastTurnsEnd
  }

  /**
   * The milliseconds that a call of a last turn may take, at `at`: a subagent has half of what is left, so that its
   * supervisor can still answer. `undefined`: the time of the run is not up.
   */
  lastTurnTimeout(at: number, isOfSubagent: boolean): number | undefined {
    if (this.#lastTurnsEnd === undefined) return undefined
    const left = Math.max(0, this.#lastTurnsEnd - at)
    return isOfSubagent ? left / 2 : left
  }

  /** The budget of the tenant has been charged with a call. */
  charged(charge: TenantCharge): void {
    this.#tenant ??= { warnings: new TenantWarnings(), near: [] }
    this.#tenant.near.push(...this.#tenant.warnings.noted(charge))
  }

  /** The limits that have come near, each once. */
  warnings(at: number): readonly (BudgetShare | TenantShare)[] {
    const own = this.budget?.warnings(at) ?? []
    return this.#tenant === undefined ? own : [...own, ...this.#tenant.near.splice(0)]
  }
}
