/** Tells the workflow that waits for this one when it waits for people, and when it no longer does. */
import { InvocationIdParser, type WorkflowContext } from '@restatedev/restate-sdk'
import type { AwaitedSignal, EventPayloads } from '../machines/events.ts'
import { assertOutcome, sizeOf } from './sizes.ts'
import { names, type HeldNotice } from './wire.ts'
import type { WorkflowClock } from './workflow-clock.ts'

export class HeldNotices {
  readonly #context: WorkflowContext
  readonly #parent: string
  readonly #path: string
  readonly #clock: WorkflowClock
  #count = 0
  #waiting: HeldNotice[] = []

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

  #add(signal: HeldNotice['signal']): void {
    this.#waiting.push({ at: this.#clock.now(), signal })
  }

  /** After the turn is kept: whoever hears of it may read it. */
  send(): void {
    const notices = this.#waiting
    this.#waiting = []
    for (const notice of notices) {
      assertOutcome('What is asked of people', sizeOf(notice))
      this.#context
        .invocation(InvocationIdParser.fromString(this.#parent))
        .signal<HeldNotice>(names.held(this.#path, ++this.#count))
        .resolve(notice)
    }
  }
}
