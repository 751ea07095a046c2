/** Notifies the parent workflow when this one waits for signals alone, and when it no longer does. */
import type { WorkflowContext } from '@restatedev/restate-sdk'
import type { AwaitedSignal, EventPayloads } from '../../machines/contract/events.ts'
import { sayTo } from './workflow-inbox.ts'
import { assertOutcome, sizeOf } from '../wire/payload-limits.ts'
import type { Said } from '../wire/wire.ts'
import type { WorkflowClock } from './workflow-clock.ts'

export class HoldNotifier {
  readonly #context: WorkflowContext
  readonly #parent: string
  readonly #path: string
  readonly #clock: WorkflowClock
  #waiting: Said[] = []

  constructor(context: WorkflowContext, parent: string, path: string, clock: WorkflowClock) {
    this.#context = context
    this.#parent = parent
    this.#path = path
    this.#clock = clock
  }

  held(awaiting: readonly AwaitedSignal[]): void {
    this.#add({ type: 'held', path: this.#path, awaiting })
  }

  released(by: EventPayloads['resumed']): void {
    this.#add({ type: 'released', path: this.#path, by })
  }

  #add(signal: Said['signal']): void {
    this.#waiting.push({ at: this.#clock.now(), signal })
  }

  /** Whether there is a notice to send. */
  get isAny(): boolean {
    return this.#waiting.length > 0
  }

  /** Sends the notices. Called after the turn is kept, because the receiver of a notice may read it. */
  send(): void {
    const notices = this.#waiting
    this.#waiting = []
    for (const notice of notices) {
      assertOutcome('What is asked of people', sizeOf(notice))
      sayTo(this.#context, this.#parent, notice)
    }
  }
}
