/**
 * The journal of one workflow. Restate itself records what comes from outside before it hands it over; what follows from
 * that is the same each time. So entries are delivered at once, and kept turn by turn for those who read along.
 */
import type { WorkflowContext } from '@restatedev/restate-sdk'
import type { Appender, Committer } from '../../runtime/journal/committer.ts'
import type { JournalEntry } from '../../runtime/journal/journal.ts'
import { keepTurn } from './persist-turn.ts'
import type { LastTurn, Turn } from '../wire/wire.ts'
import type { WorkflowClock } from './workflow-clock.ts'

/** Milliseconds: what follows sooner after a turn that was kept is kept with what comes until then. */
const pause = 25

/** Characters of JSON that a part may leave to its parent to keep. */
const mostLeft = 64 * 1024

export class TurnJournal implements Pick<Committer, 'append'> {
  readonly #context: WorkflowContext
  readonly #clock: WorkflowClock
  #waiting: JournalEntry[] = []
  #turn: JournalEntry[] = []
  #ends = new Map<string, LastTurn>()
  #kept = 0
  #keptAt = Number.NEGATIVE_INFINITY
  #callOff: (() => void) | undefined

  constructor(context: WorkflowContext, clock: WorkflowClock) {
    this.#context = context
    this.#clock = clock
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

  /** A part has ended: the end of its journal is kept with the turn that hears of it. */
  keepLast(path: string, last: LastTurn): void {
    this.#ends.set(path, last)
  }

  /** Whether nothing has come from outside yet. */
  get hasOnlyBegun(): boolean {
    return this.#kept === 0 && this.#turn.length === 1
  }

  /** Lets others read what was delivered: at once, and many that follow on each other together. */
  keepSoon(): void {
    if (this.#turn.length === 0 || this.#callOff !== undefined) return
    if (this.#clock.now() - this.#keptAt >= pause) this.keep()
    else this.#callOff = this.#clock.after(pause, () => this.keep())
  }

  /** At once. */
  keep(): void {
    this.#callOff?.()
    this.#callOff = undefined
    if (this.#turn.length === 0) return
    this.#keptAt = this.#clock.now()
    const invocation = this.#kept === 0 ? { invocation: this.#context.request().id } : {}
    this.#kept = keepTurn(this.#context, this.#kept, { ...this.#whole(), ...invocation })
    this.#turn = []
    this.#ends.clear()
  }

  /** What a part may leave to its parent; what is too much for that is kept. */
  leave(): LastTurn | undefined {
    if (this.#turn.length === 0) return undefined
    const turn = this.#whole()
    if (JSON.stringify(turn).length > mostLeft) {
      this.keep()
      return undefined
    }
    return { ...turn, after: this.#kept }
  }

  #whole(): Turn {
    const entries = this.#turn
    return this.#ends.size === 0 ? { entries } : { entries, ends: Object.fromEntries(this.#ends) }
  }
}
