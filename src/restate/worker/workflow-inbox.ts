/**
 * The inbox of a workflow. Other workflows of its run send with one named signal, repeatedly: Restate keeps those in
 * the order of arrival, each of them once. Callers answer by durable promises, one for each question.
 */
import {
  InvocationIdParser,
  type RestatePromise,
  type WorkflowContext,
  type WorkflowSharedContext,
} from '@restatedev/restate-sdk'
import type { Signal } from '../../runtime/journal/journal.ts'
import type { Race } from './race.ts'
import { names, type QuestionEnd, type Said } from '../wire/wire.ts'
import type { WorkflowClock } from './workflow-clock.ts'

export interface InboxOptions {
  readonly context: WorkflowContext
  readonly race: Race
  readonly clock: WorkflowClock
  readonly tell: (signal: Signal) => void
}

export class WorkflowInbox {
  readonly #options: InboxOptions

  constructor(options: InboxOptions) {
    this.#options = options
  }

  /** Receives the signals that are sent to this workflow, until it ends. */
  open(): void {
    this.hear(this.#options.context.signal<Said>(names.said), () => this.open())
  }

  /** Receives the signal of `promise` when it resolves. Returns the function that stops waiting for it. */
  hear(promise: RestatePromise<QuestionEnd>, afterwards?: () => void): () => void {
    const { race, clock, tell } = this.#options
    return race.add(promise, (said) => {
      if (said !== undefined && !('closed' in said)) {
        clock.advance(said.at)
        tell(said.signal)
      }
      afterwards?.()
    })
  }
}

/** Sends a signal to a workflow. `invocation`: that of the receiver. A workflow that has ended ignores it. */
export function sayTo(
  context: Pick<WorkflowSharedContext, 'invocation'>,
  invocation: string,
  said: Said,
): void {
  context.invocation(InvocationIdParser.fromString(invocation)).signal<Said>(names.said).resolve(said)
}
