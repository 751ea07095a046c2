/**
 * The draining of a troupe: its runs begin no more effects, what is under way ends, and each run is released as soon as nothing
 * of it is under way. At the deadline the rest is cut off.
 */
import { milliseconds } from '../../../actors/strict/checks.ts'
import { readOptions, withDefault, type Fields } from '../../../actors/strict/read-options.ts'
import { noContext } from '../../async-context.ts'
import type { Clock } from '../../clock.ts'
import type { EffectUnderWay } from '../../engine/effects/under-way.ts'
import type { Committer } from '../../journal/committer.ts'
import type { DrainedRun } from '../../run/run-host.ts'

/** The options of `troupe.drain`. */
export interface DrainOptions {
  /** Milliseconds from the call on that effects under way have. Default: 20 000. */
  readonly deadline?: number
}

/** A run that was released at the deadline, while effects of it were under way. */
export interface CutOffRun {
  readonly runId: string
  /** What was aborted. It is performed again where the run goes on, as after a crash. */
  readonly effects: readonly EffectUnderWay[]
}

/** What has become of the runs that a draining troupe had in memory, by id. */
export interface DrainReport {
  /** They have ended here. */
  readonly ended: readonly string[]
  /** They were released with nothing under way. Any process may go on with them at once. */
  readonly handedOver: readonly string[]
  /** They were released at the deadline. */
  readonly cutOff: readonly CutOffRun[]
}

/** The options of `troupe.close`. */
export interface CloseOptions {
  /** Milliseconds within which `close` settles, also where the store is silent. Default: 10 000. */
  readonly deadline?: number
}

const drainFields = { deadline: withDefault(milliseconds, 20_000) } satisfies Fields<DrainOptions>
const closeFields = { deadline: withDefault(milliseconds, 10_000) } satisfies Fields<CloseOptions>

/** Throws a `ConfigurationError`. */
export function readDrain(given: DrainOptions = {}): number {
  return readOptions<DrainOptions>(given, 'drain', drainFields).deadline ?? drainFields.deadline.default
}

/** Throws a `ConfigurationError`. */
export function readClose(given: CloseOptions = {}): number {
  return readOptions<CloseOptions>(given, 'close', closeFields).deadline ?? closeFields.deadline.default
}

interface DrainHost<Drained extends DrainedRun> {
  readonly clock: Clock
  readonly committer: Pick<Committer, 'flushed'>
  /** Whether a call that is under way here waits for the run: the run is a part of that effect, and goes on. */
  isFollowed(runId: string): boolean
  /** What becomes of a followed run. `waits`: it is cut off at the deadline, with its call. `stays`: it is not drained. */
  readonly followed: 'waits' | 'stays'
  /** Aborts the effects of a run; entries that were appended are still delivered. */
  cut(run: Drained): void
  /** Releases a run, or leaves it suspended. */
  handOver(run: Drained): void
  /** Resolves when the store has taken all releases. */
  settled(): Promise<void>
}

/** Milliseconds between two looks at the runs: a call may begin to wait for a person, and end no turn by that. */
export const lookEvery = 100

/** Milliseconds that the store has after the deadline, for the outcomes and the releases of runs. */
const grace = 1_000

export class Drain<Drained extends DrainedRun> {
  readonly #host: DrainHost<Drained>
  /** The runs that are still in memory. */
  readonly #waiting = new Map<string, Drained>()
  readonly #releasing = new Set<string>()
  readonly #handedOver: string[] = []
  readonly #ended: string[] = []
  readonly #cutOff = new Map<string, CutOffRun>()
  readonly #over = Promise.withResolvers<DrainReport>()
  #phase: 'waiting' | 'cutting' | 'finishing' | 'over' = 'waiting'
  #endsAt = Number.POSITIVE_INFINITY
  #callOffEnd: () => void = () => undefined
  #callOffLook: () => void = () => undefined

  constructor(host: DrainHost<Drained>) {
    this.#host = host
  }

  get report(): Promise<DrainReport> {
    return this.#over.promise
  }

  begin(runs: readonly Drained[], deadline: number): void {
    this.limit(deadline)
    for (const run of runs) this.entered(run)
    this.#lookLater()
    this.#finishIfEmpty()
  }

  /** Cuts off what is under way `deadline` milliseconds from now, unless an earlier deadline was given. */
  limit(deadline: number): void {
    const { clock } = this.#host
    const endsAt = clock.now() + deadline
    if (endsAt >= this.#endsAt || this.#phase !== 'waiting') return
    this.#endsAt = endsAt
    this.#callOffEnd()
    this.#callOffEnd = noContext.run(() => clock.after(deadline, () => void this.#cut()))
  }

  entered(run: Drained): void {
    if (this.#phase === 'over') return
    this.#waiting.set(run.id, run)
    this.#look(run)
  }

  left(run: Drained): void {
    if (this.#waiting.get(run.id) !== run) return
    this.#waiting.delete(run.id)
    if (run.hasEnded) {
      this.#ended.push(run.id)
      this.#cutOff.delete(run.id)
    } else if (!this.#cutOff.has(run.id) && (this.#releasing.has(run.id) || !run.isLost))
      this.#handedOver.push(run.id)
    this.#finishIfEmpty()
  }

  /** A call begins, or ceases, to wait for the run. */
  followingChanged(runId: string): void {
    const run = this.#waiting.get(runId)
    if (run !== undefined) this.#look(run)
  }

  /** The troupe is closed: what is under way is aborted. */
  closing(): void {
    if (this.#phase !== 'waiting') return
    this.#phase = 'cutting'
    this.#note()
  }

  /** The troupe has closed. */
  end(): void {
    if (this.#phase === 'over') return
    this.#phase = 'over'
    this.#callOffEnd()
    this.#callOffLook()
    this.#over.resolve({
      ended: this.#ended,
      handedOver: this.#handedOver,
      cutOff: [...this.#cutOff.values()],
    })
  }

  #look(run: Drained): void {
    if (this.#host.isFollowed(run.id)) return this.#goesOn(run)
    run.pause(() => this.#release(run))
    this.#release(run)
  }

  /** A followed run begins effects again. */
  #goesOn(run: Drained): void {
    run.pause(undefined)
    if (this.#host.followed === 'waits' || this.#phase !== 'waiting') return
    this.#waiting.delete(run.id)
    this.#finishIfEmpty()
  }

  /** Releases a run of which nothing is under way, once its entries are delivered. */
  #release(run: Drained): void {
    if (!run.isQuiet || this.#releasing.has(run.id) || this.#phase !== 'waiting') return
    this.#releasing.add(run.id)
    void this.#releaseFlushed(run)
  }

  async #releaseFlushed(run: Drained): Promise<void> {
    await this.#host.committer.flushed()
    const mayGo = this.#phase === 'waiting' && this.#waiting.get(run.id) === run && run.isQuiet
    if (mayGo && !this.#host.isFollowed(run.id)) this.#host.handOver(run)
    this.#releasing.delete(run.id)
  }

  #lookLater(): void {
    const look = (): void => {
      for (const run of this.#waiting.values()) if (!this.#host.isFollowed(run.id)) this.#release(run)
      this.#lookLater()
    }
    const { clock } = this.#host
    this.#callOffLook = noContext.run(() => clock.after(lookEvery, look, { background: true }))
  }

  #note(): void {
    for (const { id, underWay } of this.#waiting.values())
      if (underWay.length > 0) this.#cutOff.set(id, { runId: id, effects: underWay })
  }

  async #cut(): Promise<void> {
    if (this.#phase !== 'waiting') return
    this.#phase = 'cutting'
    this.#note()
    for (const run of this.#waiting.values()) this.#host.cut(run)
    await this.#within(this.#host.committer.flushed())
    for (const run of this.#waiting.values()) {
      this.#releasing.add(run.id)
      this.#host.handOver(run)
    }
    this.#finishIfEmpty()
  }

  #finishIfEmpty(): void {
    if (this.#waiting.size > 0 || this.#phase === 'finishing' || this.#phase === 'over') return
    this.#phase = 'finishing'
    void this.#within(this.#host.settled()).then(() => this.end())
  }

  /** Resolves when the work has settled, and within the grace after the deadline. */
  async #within(work: Promise<void>): Promise<void> {
    const { clock } = this.#host
    const left = Math.max(0, this.#endsAt - clock.now())
    const over = Promise.withResolvers<void>()
    const callOff = noContext.run(() => clock.after(left + grace, over.resolve))
    await Promise.race([work.catch(() => undefined), over.promise])
    callOff()
  }
}
