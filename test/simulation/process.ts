/** A process of the simulation: its clock, its ids, its end. Nothing that it still does after its end has an effect. */
import type { Clock } from 'troupe'
import type { Environment } from '../../src/runtime/environment.ts'
import type { Program } from './edits.ts'
import type { Random } from './random.ts'
import type { Owner, Scheduler } from './scheduler.ts'

/** A computer: its clock is set wrong for all of its processes. */
export class Machine {
  readonly name: string
  /** Milliseconds ahead of the world. */
  clockOffset: number

  constructor(name: string, clockOffset: number) {
    this.name = name
    this.clockOffset = clockOffset
  }
}

export class SimulatedProcess implements Owner {
  readonly name: string
  readonly environment: Environment
  readonly program: Program
  stalledUntil = 0
  readonly #scheduler: Scheduler
  readonly #machine: Machine
  readonly #random: Random
  #isGone = false
  #deedsLeft = Number.POSITIVE_INFINITY
  #ids = 0

  constructor(
    name: string,
    machine: Machine,
    scheduler: Scheduler,
    random: Random,
    program: Program = new Set(),
  ) {
    this.name = name
    this.program = program
    this.#machine = machine
    this.#scheduler = scheduler
    this.#random = random
    this.environment = { clock: this.#clock(), newId: () => `${name}.${++this.#ids}` }
  }

  get isGone(): boolean {
    return this.#isGone
  }

  #clock(): Clock {
    const now = (): number => this.#scheduler.now + this.#machine.clockOffset
    return {
      now,
      after: (delay, callback) => {
        const late = this.#random.pick([0, 0, 1, this.#random.below(20)])
        return this.#scheduler.after(delay + late, this, `timer of ${delay}`, callback, { isTimer: true })
      },
    }
  }

  /** It ends now. */
  crash(): void {
    if (this.#isGone) return
    this.#isGone = true
    this.#scheduler.note(this.name, 'CRASHES')
  }

  /** It ends when it has touched the outside for this many times. */
  crashAfter(deeds: number): void {
    if (deeds === 0) this.crash()
    else this.#deedsLeft = deeds
  }

  /** It touches the outside. Gives whether it does: else it has ended. */
  does(what: string): boolean {
    if (this.#isGone) return false
    if (--this.#deedsLeft <= 0) {
      this.crash()
      return false
    }
    this.#scheduler.note(this.name, what)
    return true
  }

  /** It stands still: its timers and what it waits for come when it goes on. */
  stall(time: number): void {
    this.stalledUntil = Math.max(this.stalledUntil, this.#scheduler.now + time)
  }

  /** It heals: it goes on now, and ends no more. */
  heal(): void {
    this.stalledUntil = 0
    this.#deedsLeft = Number.POSITIVE_INFINITY
  }
}
