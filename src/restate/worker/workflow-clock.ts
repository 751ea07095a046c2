/** The time of a workflow: that of what was recorded last. A delay is a durable sleep. */
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

  /** What was recorded at `at` is being delivered. The clocks of workers differ; time does not fall by that. */
  advance(at: number | undefined): void {
    if (at !== undefined && at > this.#now) this.#now = at
  }

  after(delay: number, callback: () => void): () => void {
    const due = this.#now + delay
    // A sleep can be forgotten and not called off: it then goes by and nobody hears of it.
    return this.#race.add(this.#context.sleep(Math.ceil(delay)), () => {
      this.advance(due)
      callback()
    })
  }
}
