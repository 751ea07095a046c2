/** A clock that stands still until a test moves it: deadlines, back-off and approvals take no real time. */
import { is } from '../../actors/strict/checks.ts'
import { readOptions, withDefault, wrong, type Fields } from '../../actors/strict/read-options.ts'
import { afterTurn, nextTask } from '../../actors/values/order.ts'
import { TroupeError } from '../../errors.ts'
import type { Clock } from '../../runtime/clock.ts'

/** The options of `virtualClock`. */
export interface VirtualClockOptions {
  /** The first moment: milliseconds since 1970, or a date. Default: 2000-01-01T00:00:00Z. */
  readonly start?: number | Date
}

const fields = {
  start: withDefault(
    is('milliseconds since 1970, or a date', (given) =>
      Number.isFinite(given instanceof Date ? given.getTime() : given),
    ),
    Date.UTC(2000, 0, 1),
  ),
} satisfies Fields<VirtualClockOptions>

/**
 * The clock of a troupe under test. It is also a clock of XState: `createActor(machine, { clock })` puts the delays of a
 * machine of yours on the same time.
 */
export interface VirtualClock extends Clock {
  /** How many timers are set. */
  readonly pending: number
  /** When the next timer is due, in milliseconds since 1970; `undefined`: no timer is set. */
  readonly nextAt: number | undefined
  /**
   * Moves time on. Timers that are due by then fire one after the other, each at its own moment; what follows from one
   * happens before the next, and may set others. Resolves when all of it has happened. A timer without a delay fires by
   * itself.
   */
  advance(duration: Duration): Promise<void>
  /**
   * Moves from timer to timer until `work` settles, and settles as `work` does. Rejects with a `TroupeError`:
   * `CLOCK_IDLE` when no timer is set and `work` is still pending, `CLOCK_LIMIT` when it is pending after `most` of
   * virtual time (default: 30 days). For runs whose models and tools wait for nothing real.
   */
  runUntil<Value>(work: PromiseLike<Value>, most?: Duration): Promise<Value>
  /** Moves on without firing a timer, as for a process that stood still; timers that are due fire with the next move. */
  jump(duration: Duration): void
  /** Settles when at least this many timers are set. Default: 1. */
  armed(count?: number): Promise<void>
  /** No time passes while `work` is in progress: `advance` and `runUntil` wait for it. For work that is real. */
  hold(work: PromiseLike<unknown>): void
  /** As XState calls a clock. */
  setTimeout(callback: () => void, delay: number): unknown
  clearTimeout(timer: unknown): void
}

const units = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const

/** Milliseconds, or a number with its unit: `'250ms'`, `'90s'`, `'5m'`, `'1h'`, `'2d'`. */
export type Duration = number | `${number}${keyof typeof units}`

/** Returns milliseconds. Throws a `ConfigurationError`. */
function millisecondsOf(given: Duration, where: string): number {
  const read = typeof given === 'number' ? given : parsed(given)
  if (read !== undefined && Number.isFinite(read) && read >= 0) return read
  throw wrong(given, where, `milliseconds, or a text such as '90s', '5m' or '1h'`)
}

function parsed(text: unknown): number | undefined {
  const [, count, unit] = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(String(text)) ?? []
  return unit === undefined ? undefined : Number(count) * units[unit as keyof typeof units]
}

/** Creates a clock for `createTroupe({ clock })` and `createTroupeOn(clock, …)`. Throws a `ConfigurationError`. */
export function virtualClock(options: VirtualClockOptions = {}): VirtualClock {
  const { start = fields.start.default } = readOptions<VirtualClockOptions>(options, 'virtualClock', fields)
  return new StandingClock(start instanceof Date ? start.getTime() : start)
}

interface Timer {
  readonly dueAt: number
  readonly callback: () => void
}

interface Waiting {
  readonly count: number
  readonly resolve: () => void
}

class StandingClock implements VirtualClock {
  readonly #timers = new Set<Timer>()
  readonly #held = new Set<PromiseLike<unknown>>()
  #waiting: readonly Waiting[] = []
  #now: number

  constructor(start: number) {
    this.#now = start
  }

  now(): number {
    return this.#now
  }

  get pending(): number {
    return this.#timers.size
  }

  get nextAt(): number | undefined {
    return this.#next()?.dueAt
  }

  after(delay: number, callback: () => void): () => void {
    const timer = this.setTimeout(callback, delay)
    return () => this.clearTimeout(timer)
  }

  setTimeout(callback: () => void, delay: number): Timer {
    const timer = { dueAt: this.#now + Math.max(0, delay), callback }
    this.#timers.add(timer)
    if (delay <= 0) void turn().then(() => this.#fire(timer))
    const ready = this.#waiting.filter(({ count }) => this.pending >= count)
    this.#waiting = this.#waiting.filter(({ count }) => this.pending < count)
    for (const { resolve } of ready) resolve()
    return timer
  }

  clearTimeout(timer: unknown): void {
    this.#timers.delete(timer as Timer)
  }

  async advance(duration: Duration): Promise<void> {
    const until = this.#now + millisecondsOf(duration, 'advance')
    for (let timer = await this.#nextBy(until); timer !== undefined; timer = await this.#nextBy(until)) {
      this.#now = Math.max(this.#now, timer.dueAt)
      this.#fire(timer)
    }
    this.#now = Math.max(this.#now, until)
  }

  async runUntil<Value>(work: PromiseLike<Value>, most: Duration = '30d'): Promise<Value> {
    const end = this.#now + millisecondsOf(most, 'runUntil: most')
    let isPending = true
    const settled = (): void => void (isPending = false)
    work.then(settled, settled)
    for (;;) {
      const timer = await this.#nextBy(Number.POSITIVE_INFINITY)
      if (!isPending) return work
      if (timer === undefined) throw idle()
      if (timer.dueAt > end) throw pastLimit(most)
      this.#now = Math.max(this.#now, timer.dueAt)
      this.#fire(timer)
    }
  }

  jump(duration: Duration): void {
    this.#now += millisecondsOf(duration, 'jump')
  }

  armed(count = 1): Promise<void> {
    if (this.pending >= count) return Promise.resolve()
    return new Promise((resolve) => {
      this.#waiting = [...this.#waiting, { count, resolve }]
    })
  }

  hold(work: PromiseLike<unknown>): void {
    const release = (): void => void this.#held.delete(work)
    this.#held.add(work)
    work.then(release, release)
  }

  #fire(timer: Timer): void {
    if (this.#timers.delete(timer)) timer.callback()
  }

  /** The timer that is due first, if it is by `until`. */
  #next(until = Number.POSITIVE_INFINITY): Timer | undefined {
    let first: Timer | undefined
    for (const timer of this.#timers) {
      if (timer.dueAt <= until && (first === undefined || timer.dueAt < first.dueAt)) first = timer
    }
    return first
  }

  /** The timer that is due first, if it is by `until`, once all has happened that needs no time. */
  async #nextBy(until: number): Promise<Timer | undefined> {
    await this.#settled()
    const timer = this.#next(until)
    if (timer !== undefined) return timer
    await timersOfProcess()
    await this.#settled()
    return this.#next(until)
  }

  /** When promises have settled, timers without delay have fired, and nothing is held. */
  async #settled(): Promise<void> {
    do {
      await Promise.allSettled(this.#held)
      await turn()
      await turn()
    } while (this.#held.size > 0)
  }
}

/** The next turn of the event loop: promises that can settle have settled by then. */
function turn(): Promise<void> {
  return new Promise((resolve) => void afterTurn(resolve))
}

/** The timers of the process without delay that are set by now have fired. */
function timersOfProcess(): Promise<void> {
  return new Promise<void>(nextTask)
}

function idle(): TroupeError {
  return new TroupeError(
    'CLOCK_IDLE',
    'The virtual clock has no timer that could fire, and the promise is still pending: it waits for a signal, or for work that is real (see `hold`).',
  )
}

function pastLimit(most: Duration): TroupeError {
  return new TroupeError(
    'CLOCK_LIMIT',
    `The promise is still pending after ${most} of virtual time${typeof most === 'number' ? ' (milliseconds)' : ''}.`,
  )
}
