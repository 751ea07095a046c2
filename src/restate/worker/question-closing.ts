/**
 * Closes questions, each by the durable promise of its answer, which resolves once: with the answer, or as closed. An
 * entry that closes questions waits until they are decided; an answer that was accepted before precedes the entry.
 */
import type { RestatePromise, WorkflowContext } from '@restatedev/restate-sdk'
import type { Appender, Committer } from '../../runtime/journal/committer.ts'
import type { JournalEntry } from '../../runtime/journal/journal.ts'
import { isRefused } from '../wire/terminal-errors.ts'
import { closed, names, type QuestionEnd } from '../wire/wire.ts'
import type { Race } from './race.ts'
import type { WorkflowClock } from './workflow-clock.ts'

export interface QuestionClosingOptions {
  readonly context: WorkflowContext
  readonly race: Race
  readonly clock: WorkflowClock
  readonly turns: Pick<Committer, 'append'>
  /** The conversation that the entries of the run name. */
  readonly conversationId: string | undefined
}

/** An entry that waits for the decision of questions. */
interface Waiting {
  readonly entry: JournalEntry
  readonly keys: Set<string>
}

export class QuestionClosing {
  readonly #options: QuestionClosingOptions
  /** The entries that wait for each question that is being closed. */
  readonly #closing = new Map<string, Waiting[]>()

  constructor(options: QuestionClosingOptions) {
    this.#options = options
  }

  /** The keys of the questions that are being closed. */
  get keys(): readonly string[] {
    return [...this.#closing.keys()]
  }

  /** Appends `entry` when the questions `keys` are closed, or answered. */
  append(appender: Appender, entry: JournalEntry, keys: readonly string[]): void {
    if (keys.length === 0) return this.#options.turns.append(appender, entry)
    const waiting: Waiting = { entry, keys: new Set(keys) }
    for (const key of keys) this.close(appender, key).push(waiting)
  }

  /** Closes a question, once. Returns the entries that wait for it. */
  close(appender: Appender, key: string): Waiting[] {
    const known = this.#closing.get(key)
    if (known !== undefined) return known
    const { context, race } = this.#options
    const waiting: Waiting[] = []
    this.#closing.set(key, waiting)
    const promise = context.promise<QuestionEnd>(names.answer(key))
    // It is a promise of Restate, although its type does not declare it.
    race.add(promise.resolve(closed) as RestatePromise<void>, (_, failure) => {
      if (failure === undefined) return this.#decided(appender, key, closed)
      if (!isRefused(failure)) throw failure
      race.add(promise.get(), (end = closed) => this.#decided(appender, key, end))
    })
    return waiting
  }

  #decided(appender: Appender, key: string, end: QuestionEnd): void {
    const { clock, turns, conversationId } = this.#options
    if (!('closed' in end)) {
      clock.advance(end.at)
      const entry = { type: 'signal.received', at: clock.now(), signal: end.signal } as const
      turns.append(appender, conversationId === undefined ? entry : { ...entry, conversationId })
    }
    const waiting = this.#closing.get(key) ?? []
    this.#closing.delete(key)
    for (const { entry, keys } of waiting) {
      keys.delete(key)
      if (keys.size === 0) turns.append(appender, { ...entry, at: clock.now() })
    }
  }
}
