/**
 * What people are asked by a workflow: each answer is a durable promise. What is open is kept as state, so that whoever
 * says something wrong is told so at once.
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
  /** What is listened for, by the keys of the questions, and how to stop. */
  readonly #listening = new Map<string, () => void>()
  /** As the state has it: nothing yet, which needs no state. */
  #kept = ''

  constructor(options: AnswersOptions) {
    this.#options = options
  }

  /** After each turn: what was opened is listened for, what was closed is not any more. Gives whether anything was. */
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
