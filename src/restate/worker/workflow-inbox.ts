/**
 * What is said to a workflow: by other workflows of its run with one signal, sent again and again, which Restate keeps in
 * the order in which it arrives, each of it once; by people, with promises of their own.
 */
import {
  InvocationIdParser,
  type RestatePromise,
  type WorkflowContext,
  type WorkflowSharedContext,
} from '@restatedev/restate-sdk'
import type { Signal } from '../../runtime/journal/journal.ts'
import type { Race } from './race.ts'
import { names, type Said } from '../wire/wire.ts'
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

  /** Hears what is sent to this workflow, until it ends. */
  open(): void {
    this.hear(this.#options.context.signal<Said>(names.said), () => this.open())
  }

  /** Hears what is promised, when it is said. Gives the way to wait for it no more. */
  hear(promise: RestatePromise<Said>, afterwards?: () => void): () => void {
    const { race, clock, tell } = this.#options
    return race.add(promise, (said) => {
      if (said !== undefined) {
        clock.advance(said.at)
        tell(said.signal)
      }
      afterwards?.()
    })
  }
}

/** `invocation`: of the workflow that is told. One that has ended hears nothing. */
export function sayTo(
  context: Pick<WorkflowSharedContext, 'invocation'>,
  invocation: string,
  said: Said,
): void {
  context.invocation(InvocationIdParser.fromString(invocation)).signal<Said>(names.said).resolve(said)
}
