/**
 * The journal of one workflow. Restate itself records inputs before it delivers them, and their consequences are the
 * same in each execution. So entries are delivered at once, and kept turn by turn for readers.
 */
import type { WorkflowContext } from '@restatedev/restate-sdk'
import type { Appender, Committer } from '../../runtime/journal/committer.ts'
import type { JournalEntry } from '../../runtime/journal/journal.ts'
import { keepFacts } from './keep-facts.ts'
import { KeptSums } from './keep-sums.ts'
import { keepTurn } from './persist-turn.ts'
import type { LastTurn, Turn } from '../wire/wire.ts'
import type { WorkflowClock } from './workflow-clock.ts'

/** Milliseconds after a kept turn in which the entries that follow are collected and kept together. */
const pause = 25

/** Characters of JSON that a part may leave to its parent to keep. */
const mostLeft = 64 * 1024

export class TurnJournal implements Pick<Committer, 'append'> {
  readonly #context: WorkflowContext
  readonly #clock: WorkflowClock
  readonly #sums: KeptSums
  #waiting: JournalEntry[] = []
  #turn: JournalEntry[] = []
  #ends = new Map<string, LastTurn>()
  #kept = 0
  #keptAt = Number.NEGATIVE_INFINITY
  #callOff: (() => void) | undefined

  constructor(context: WorkflowContext, clock: WorkflowClock) {
    this.#context = context
    this.#clock = clock
    this.#sums = new KeptSums(context)
  }

  append(_appender: Appender, entry: JournalEntry): void {
    this.#waiting.push(entry)
  }

  /** Delivers the waiting entries, and those that follow from them, until there are none. */
  async deliver(appender: Appender): Promise<void> {
    for (;;) {
      await Promise.resolve() // an outcome reaches its awaiting code in a microtask
      const entries = this.#waiting
      this.#waiting = []
      if (entries.length === 0) break
      for (const entry of entries) appender.committed(entry)
      appender.turnEnded()
      this.#turn.push(...entries)
    }
  }

  /** Keeps the last turn of a part that has ended with the turn that receives its end. */
  keepLast(path: string, last: LastTurn): void {
    this.#ends.set(path, last)
  }

  /** Whether no input has arrived yet. */
  get hasOnlyBegun(): boolean {
    return this.#kept === 0 && this.#turn.length === 1
  }

  /** Lets readers read the delivered entries: at once, or together with those that follow soon after a kept turn. */
  keepSoon(): void {
    if (this.#turn.length === 0 || this.#callOff !== undefined) return
    if (this.#clock.now() - this.#keptAt >= pause) this.keep()
    else this.#callOff = this.#clock.after(pause, () => this.keep())
  }

  /** Keeps the delivered entries at once. */
  keep(): void {
    this.#callOff?.()
    this.#callOff = undefined
    if (this.#turn.length === 0) return
    this.#keptAt = this.#clock.now()
    if (this.#kept === 0) keepFacts(this.#context, this.#turn[0])
    const invocation = this.#kept === 0 ? { invocation: this.#context.request().id } : {}
    const turn = this.#whole()
    this.#kept = keepTurn(this.#context, this.#kept, { ...turn, ...invocation })
    this.#sums.keep(turn)
    this.#turn = []
    this.#ends.clear()
  }

  /** Returns the entries that a part leaves to its parent; too large a turn is kept here instead. */
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
