/** The store tells processes of changed runs: late, twice, or not at all, as the seed decides. */
import type { WholeStore } from 'troupe'
import type { Random } from './random.ts'
import type { Owner, Scheduler } from './scheduler.ts'

type Listener = Parameters<NonNullable<WholeStore['subscribe']>>[0]

export class Hints {
  readonly #scheduler: Scheduler
  readonly #random: Random
  readonly #listeners = new Set<{ readonly process: Owner; readonly listener: Listener }>()

  constructor(scheduler: Scheduler, random: Random) {
    this.#scheduler = scheduler
    this.#random = random
  }

  subscribe(process: Owner, listener: Listener): () => void {
    const own = { process, listener }
    this.#listeners.add(own)
    return () => void this.#listeners.delete(own)
  }

  tell(...[runId, change]: Parameters<Listener>): void {
    for (const own of this.#listeners) {
      if (own.process.isGone) this.#listeners.delete(own)
      else
        this.#send(own.process, `is told of ${change} of ${runId}`, () => {
          if (this.#listeners.has(own)) own.listener(runId, change)
        })
    }
  }

  #send(process: Owner, label: string, act: () => void): void {
    for (let times = this.#random.pick([0, 1, 1, 1, 2]); times > 0; times--)
      this.#scheduler.after(this.#random.pick([0, 0, 1, this.#random.below(300)]), process, label, act)
  }
}
