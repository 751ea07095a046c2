/**
 * The journal of one workflow. Restate itself records what comes from outside before it hands it over; what follows from
 * that is the same each time. So entries are delivered at once, and kept turn by turn for those who read along.
 */
import type { WorkflowContext } from '@restatedev/restate-sdk'
import type { Appender, Committer } from '../runtime/committer.ts'
import type { JournalEntry } from '../runtime/journal.ts'
import { keepTurn } from './keep-turn.ts'
import type { RunRequest } from './wire.ts'

export class Turns implements Pick<Committer, 'append'> {
  readonly #context: WorkflowContext
  #waiting: JournalEntry[] = []
  #turn: JournalEntry[] = []
  readonly #request: RunRequest
  #kept = 0

  constructor(context: WorkflowContext, request: RunRequest) {
    this.#context = context
    this.#request = request
  }

  append(_appender: Appender, entry: JournalEntry): void {
    this.#waiting.push(entry)
  }

  /** Delivers what there is, and what comes of it, until nothing more does. */
  async deliver(appender: Appender): Promise<void> {
    for (;;) {
      await Promise.resolve() // whoever waits for an outcome hears of it in a microtask
      const entries = this.#waiting
      this.#waiting = []
      if (entries.length === 0) break
      for (const entry of entries) appender.committed(entry)
      appender.turnEnded()
      this.#turn.push(...entries)
    }
  }

  /** Lets others read what was delivered. */
  keep(): void {
    const entries = this.#turn
    this.#turn = []
    if (entries.length === 0) return
    const invocation = this.#context.request().id
    const begun = this.#kept === 0 ? { begun: { request: this.#request, invocation } } : {}
    this.#kept = keepTurn(this.#context, this.#kept, { entries, ...begun })
  }
}
