/**
 * The open questions of a workflow: each answer is a durable promise. The questions are kept as state, so that a wrong
 * answer is refused at once.
 */
import type { WorkflowContext } from '@restatedev/restate-sdk'
import type { OpenSignals, OpenSignalsData } from '../../runtime/engine/signals/open-signals.ts'
import type { WorkflowInbox } from './workflow-inbox.ts'
import { assertOutcome, sizeOf } from '../wire/payload-limits.ts'
import { names, type Said } from '../wire/wire.ts'

export interface AnswersOptions {
  readonly context: WorkflowContext
  readonly signals: OpenSignals
  readonly inbox: WorkflowInbox
}

export class AwaitedSignals {
  readonly #options: AnswersOptions
  /** The functions that stop listening for an answer, by the key of its question. */
  readonly #listening = new Map<string, () => void>()
  /** The questions as the state holds them, as JSON. Empty at first, which needs no state. */
  #kept = ''

  constructor(options: AnswersOptions) {
    this.#options = options
  }

  /**
   * Called after each turn: listens for the answers of opened questions, and no longer for those of closed ones.
   * Returns whether the questions have changed.
   */
  update(): boolean {
    const { context, signals, inbox } = this.#options
    if (!signals.wasAsked) return false
    const data = signals.toJSON()
    const text = JSON.stringify(data)
    if (text === this.#kept) return false
    assertOutcome('What is asked of people', sizeOf(data))
    this.#kept = text
    context.set<OpenSignalsData>(names.signals, data)
    const open = new Set(data.open.map(({ key }) => key))
    for (const [key, leave] of this.#listening) {
      if (open.has(key)) continue
      leave()
      this.#listening.delete(key)
    }
    for (const key of open) {
      if (this.#listening.has(key)) continue
      this.#listening.set(key, inbox.hear(context.promise<Said>(names.answer(key)).get()))
    }
    return true
  }
}
