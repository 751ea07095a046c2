/**
 * What people say to a workflow: an answer is a durable promise for each question, the cancel of a delegation a signal.
 * What is open is kept as state, so that whoever says something wrong is told so at once.
 */
import type { WorkflowContext } from '@restatedev/restate-sdk'
import type { Signal } from '../runtime/journal.ts'
import { SignalDesk, type SignalDeskData } from '../runtime/signal-desk.ts'
import type { Race } from './race.ts'
import { assertOutcome, sizeOf } from './sizes.ts'
import { names, type CancelOrder, type GivenAnswer } from './wire.ts'
import type { WorkflowClock } from './workflow-clock.ts'

export interface AnswersOptions {
  readonly context: WorkflowContext
  readonly race: Race
  readonly clock: WorkflowClock
  readonly signals: SignalDesk
  readonly tell: (signal: Signal) => void
}

export class Answers {
  readonly #options: AnswersOptions
  /** What is listened for, and how to stop. */
  readonly #listening = new Map<string, () => void>()
  /** As the state has it: nothing yet, which needs no state. */
  #kept = JSON.stringify(new SignalDesk())

  constructor(options: AnswersOptions) {
    this.#options = options
  }

  /** After each turn: what was opened is listened for, what was closed is not any more. */
  update(): void {
    const { context, signals } = this.#options
    const data = signals.toJSON()
    const isUnused = this.#isUnused(data)
    const text = JSON.stringify(data)
    if (text !== this.#kept && !isUnused) {
      assertOutcome('What is asked of people', sizeOf(data))
      this.#kept = text
      context.set<SignalDeskData>(names.signals, data)
    }
    const wanted = new Map<string, () => () => void>()
    for (const { key } of data.open) wanted.set(names.answer(key), () => this.#hearAnswer(key))
    for (const id of signals.delegations) wanted.set(names.cancelDelegation(id), () => this.#hearCancel(id))
    for (const [name, leave] of this.#listening) {
      if (wanted.has(name)) continue
      leave()
      this.#listening.delete(name)
    }
    for (const [name, listen] of wanted) {
      if (!this.#listening.has(name)) this.#listening.set(name, listen())
    }
  }

  /** Nobody was ever asked anything. */
  #isUnused({ open, answered, expired }: SignalDeskData): boolean {
    return open.length + answered.length + expired.length === 0
  }

  #hearAnswer(key: string): () => void {
    const { context, race, clock, tell } = this.#options
    return race.add(context.promise<GivenAnswer>(names.answer(key)).get(), (given) => {
      if (given === undefined) return
      clock.advance(given.at)
      tell({ type: 'answer', key, id: given.id, answer: given.answer })
    })
  }

  #hearCancel(delegationId: string): () => void {
    const { context, race, clock, tell } = this.#options
    return race.add(context.signal<CancelOrder>(names.cancelDelegation(delegationId)), (order) => {
      clock.advance(order?.at)
      tell({ type: 'cancel', reason: order?.reason, delegationId })
    })
  }
}
