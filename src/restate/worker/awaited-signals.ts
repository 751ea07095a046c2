/**
 * The open questions of a workflow: each answer is a durable promise. The questions are kept as state, so that a wrong
 * answer is refused at once.
 */
import type { WorkflowContext } from '@restatedev/restate-sdk'
import { closes } from '../../runtime/engine/question-index.ts'
import type { OpenSignals, OpenSignalsData } from '../../runtime/state/signals/open-signals.ts'
import type { Appender, Committer } from '../../runtime/journal/committer.ts'
import type { JournalEntry } from '../../runtime/journal/journal.ts'
import type { QuestionClosing } from './question-closing.ts'
import type { WorkflowInbox } from './workflow-inbox.ts'
import { assertOutcome, sizeOf } from '../wire/payload-limits.ts'
import { names, type QuestionEnd } from '../wire/wire.ts'

export interface AnswersOptions {
  readonly context: WorkflowContext
  readonly signals: () => OpenSignals
  readonly inbox: WorkflowInbox
  readonly closing: QuestionClosing
}

export class AwaitedSignals implements Pick<Committer, 'append'> {
  readonly #options: AnswersOptions
  /** The functions that stop listening for an answer, by the key of its question. */
  readonly #listening = new Map<string, () => void>()
  /** The keys of all questions so far. */
  readonly #asked = new Set<string>()
  /** The questions as the state holds them, as JSON. Empty at first, which needs no state. */
  #kept = ''

  constructor(options: AnswersOptions) {
    this.#options = options
  }

  /** Appends an entry. The questions that it closes are closed first: accepted answers precede it. */
  append(appender: Appender, entry: JournalEntry): void {
    const { closing } = this.#options
    const keys = [...this.#listening.keys(), ...closing.keys].filter((key) => closes(entry, key))
    for (const key of keys) this.#leave(key)
    closing.append(appender, entry, keys)
  }

  /**
   * Called after each turn: listens for the answers of opened questions, and closes those that the turn has ended.
   * Returns whether the questions have changed.
   */
  update(appender: Appender): boolean {
    const { context, inbox, closing } = this.#options
    const signals = this.#options.signals()
    if (!signals.wasAsked) return false
    const data = signals.toJSON()
    const text = JSON.stringify(data)
    if (text === this.#kept) return false
    assertOutcome('What is asked of people', sizeOf(data))
    this.#kept = text
    context.set<OpenSignalsData>(names.signals, data)
    const open = new Set(data.open.map(({ key }) => key))
    for (const key of this.#listening.keys()) {
      if (open.has(key)) continue
      this.#leave(key)
      closing.close(appender, key)
    }
    for (const key of open) {
      if (this.#asked.has(key)) continue
      this.#asked.add(key)
      const answer = context.promise<QuestionEnd>(names.answer(key)).get()
      this.#listening.set(
        key,
        inbox.hear(answer, () => void this.#listening.delete(key)),
      )
    }
    return true
  }

  #leave(key: string): void {
    this.#listening.get(key)?.()
    this.#listening.delete(key)
  }
}
