/**
 * The time limit of a run: one clock that belongs to the run and not to an actor. It is journaled when it fires, and is paused
 * while the run is suspended. A driver sets its alarm.
 */
import { digestText } from '../../../actors/values/digest.ts'

/** Not the path of an actor: such a path begins with the id of an agent, which has no colon. */
export const wallClockKey = 'budget:wallClock'

export class WallClock {
  readonly digest: string
  readonly #changed: () => void
  #state: 'idle' | 'running' | 'paused' | 'firing' | 'stopped' | 'over' = 'idle'
  #dueAt = 0
  #left: number

  /** `limit`: milliseconds. `changed`: called when the clock starts, pauses or stops. */
  constructor(limit: number, changed: () => void) {
    this.#changed = changed
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

  /** The logical time at which a running clock is due. */
  get dueAt(): number {
    return this.#dueAt
  }

  /** Starts or continues at logical time `at`. */
  resume(at: number): void {
    if (this.#state !== 'idle' && this.#state !== 'paused') return
    this.#state = 'running'
    this.#dueAt = at + this.#left
    this.#changed()
  }

  /** Time passes that does not count, while the run is read. */
  postpone(span: number): void {
    if (this.#state === 'running') this.#dueAt += span
  }

  pause(at: number): void {
    if (this.#state !== 'running') return
    this.#state = 'paused'
    this.#left = Math.max(0, this.#dueAt - at)
    this.#changed()
  }

  /** The run ends, or is being cancelled: the rest of the time does not matter. An entry may still be on its way. */
  stop(): void {
    if (this.#state !== 'over') this.#state = 'stopped'
    this.#changed()
  }

  /** The entry of its firing is to be appended. */
  firing(): void {
    this.#state = 'firing'
  }

  /** The entry of its firing is delivered. Returns whether the run was still on the clock. */
  fired(): boolean {
    const wasOn = this.#state !== 'stopped' && this.#state !== 'over'
    this.#state = 'over'
    this.#changed()
    return wasOn
  }
}
