/**
 * The time limit of a run: one timer that belongs to the run and not to an actor. It is journaled when it fires, and is
 * paused while the run is suspended.
 */
import { digestText } from '../../../actors/values/digest.ts'
import type { Clock } from '../../clock.ts'
import type { JournalEntry } from '../../journal/journal.ts'

/** Not the path of an actor: such a path begins with the id of an agent, which has no colon. */
export const wallClockKey = 'budget:wallClock'

/** The run whose time is limited. */
export interface LimitedRun {
  readonly clock: Clock
  /** Whether the run appends to its journal, and does not read it. */
  readonly isAppending: boolean
  append(entry: JournalEntry): void
}

export class WallClock {
  readonly digest: string
  readonly #run: LimitedRun
  #state: 'idle' | 'running' | 'paused' | 'firing' | 'stopped' | 'over' = 'idle'
  #dueAt = 0
  #left: number
  #callOff: (() => void) | undefined

  /** `limit`: milliseconds. */
  constructor(limit: number, run: LimitedRun) {
    this.#run = run
    this.#left = limit
    this.digest = digestText('budget', `wallClock ${limit}`)
  }

  /** Whether the entry of its firing fits the run. It may follow the cancel that stopped the clock in the same turn. */
  get mayFire(): boolean {
    return this.#state !== 'idle' && this.#state !== 'over'
  }

  /** Whether the time of the run is running. */
  get isRunning(): boolean {
    return this.#state === 'running'
  }

  /** Lets the time be up now. */
  ring(): void {
    this.#fire()
  }

  /** Starts or continues at logical time `at`. */
  resume(at: number): void {
    if (this.#state !== 'idle' && this.#state !== 'paused') return
    this.#state = 'running'
    this.#dueAt = at + this.#left
    this.schedule()
  }

  /** Time passes that does not count: only in a replay, which sets no timer. */
  postpone(span: number): void {
    if (this.#state === 'running') this.#dueAt += span
  }

  pause(at: number): void {
    if (this.#state !== 'running') return
    this.#callOff?.()
    this.#state = 'paused'
    this.#left = Math.max(0, this.#dueAt - at)
  }

  /** Sets the timer. Returns whether it fires at once: it was due while no process owned the run. */
  schedule(): boolean {
    const { clock, isAppending } = this.#run
    if (this.#state !== 'running' || !isAppending) return false
    const delay = this.#dueAt - clock.now()
    if (delay > 0) {
      this.#callOff = clock.after(delay, () => this.#fire())
      return false
    }
    this.#fire()
    return true
  }

  /** The run ends, or is being cancelled: the rest of the time does not matter. An entry may still be on its way. */
  stop(): void {
    this.#callOff?.()
    if (this.#state !== 'over') this.#state = 'stopped'
  }

  /** The entry of its firing is delivered. Returns whether the run was still on the clock. */
  fired(): boolean {
    const wasOn = this.#state !== 'stopped' && this.#state !== 'over'
    this.#callOff?.()
    this.#state = 'over'
    return wasOn
  }

  /** This process no longer owns the run: the timer may fire in another one. */
  abandon(): void {
    this.#callOff?.()
  }

  #fire(): void {
    if (this.#state !== 'running' || !this.#run.isAppending) return
    this.#state = 'firing'
    this.#run.append({
      type: 'timer.fired',
      at: 0,
      key: wallClockKey,
      digest: this.digest,
      dueAt: this.#dueAt,
    })
  }
}
