/** The stimuli of a machine: an outcome of one of its children, or an event from outside. */
import type { AnyEventObject, EventObject } from 'xstate'
import type { ErrorData } from '../../errors.ts'

/** A child ends with this error. */
export interface Failure {
  readonly name: string
  readonly error: ErrorData
  readonly value?: undefined
}

/** One outcome that a child may have: an output of this type, or an error. */
export type Outcome<Value = unknown> =
  { readonly name: string; readonly value: Value; readonly error?: undefined } | Failure

/** An event from outside, such as `cancel`. */
export interface ExternalEvent<Event extends EventObject = AnyEventObject> {
  readonly name: string
  readonly event: Event
}

/** `name` is unique among the stimuli of a state. */
export type Stimulus =
  | {
      readonly type: 'outcome'
      readonly name: string
      readonly child: string
      readonly src: string
      readonly outcome: Outcome
    }
  | {
      readonly type: 'event'
      readonly name: string
      readonly event: AnyEventObject
      /** The end of a delay (`after`), and no event from outside. */
      readonly isDelay: boolean
    }

/** The event that XState sends to a parent with the outcome of a child. */
export function toEvent(stimulus: Stimulus): AnyEventObject {
  if (stimulus.type === 'event') return stimulus.event
  const { child, outcome } = stimulus
  return outcome.error === undefined
    ? { type: `xstate.done.actor.${child}`, output: outcome.value, actorId: child }
    : { type: `xstate.error.actor.${child}`, error: outcome.error, actorId: child }
}
