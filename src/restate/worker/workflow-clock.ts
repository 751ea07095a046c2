/** The clock of a workflow: its time is that of the last recorded result. A delay is a durable sleep. */
import type { WorkflowContext } from '@restatedev/restate-sdk'
import type { Clock } from '../../runtime/clock.ts'
import type { Race } from './race.ts'

export class WorkflowClock implements Clock {
  readonly #context: WorkflowContext
  readonly #race: Race
  #now: number

  constructor(context: WorkflowContext, race: Race, startedAt: number) {
    this.#context = context
    this.#race = race
    this.#now = startedAt
  }

  now(): number {
    return this.#now
  }

  /** Advances to `at`, the time of the result that is delivered. The clocks of workers differ; time never falls. */
  advance(at: number | undefined): void {
    if (at !== undefined && at > this.#now) this.#now = at
  }

  after(delay: number, callback: () => void): () => void {
    const due = this.#now + delay
    // A sleep can be ignored and not cancelled: it then passes without effect.
    return this.#race.add(this.#context.sleep(Math.ceil(delay)), () => {
      this.advance(due)
      callback()
    })
  }
}
