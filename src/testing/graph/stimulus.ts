/** The stimuli of a machine: an outcome of one of its children, or an event from outside. */
import type { AnyEventObject } from 'xstate'
import type { ErrorData } from '../../errors.ts'

/** One outcome that a child may have. */
export type Outcome = { readonly name: string } & (
  | { readonly value: unknown; readonly error?: undefined }
  | { readonly error: ErrorData; readonly value?: undefined }
)

/** An event from outside, such as `cancel`. */
export interface ExternalEvent {
  readonly name: string
  readonly event: AnyEventObject
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
  | { readonly type: 'event'; readonly name: string; readonly event: AnyEventObject }

/** The event that XState sends to a parent with the outcome of a child. */
export function toEvent(stimulus: Stimulus): AnyEventObject {
  if (stimulus.type === 'event') return stimulus.event
  const { child, outcome } = stimulus
  return outcome.error === undefined
    ? { type: `xstate.done.actor.${child}`, output: outcome.value, actorId: child }
    : { type: `xstate.error.actor.${child}`, error: outcome.error, actorId: child }
}
