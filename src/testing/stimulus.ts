/** The stimuli of a machine: an outcome of one of its children, or an event from outside. */
import type { AnyEventObject } from 'xstate'
import type { ErrorData } from '../errors.ts'

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

export type Stimulus =
  | { readonly type: 'outcome'; readonly child: string; readonly src: string; readonly outcome: Outcome }
  | { readonly type: 'event'; readonly event: ExternalEvent }

export function describe(stimulus: Stimulus): string {
  return stimulus.type === 'event' ? stimulus.event.name : `${stimulus.child}: ${stimulus.outcome.name}`
}

/** The event that XState sends to a parent with the outcome of a child. */
export function toEvent(stimulus: Stimulus): AnyEventObject {
  if (stimulus.type === 'event') return stimulus.event.event
  const { child, outcome } = stimulus
  return outcome.error === undefined
    ? { type: `xstate.done.actor.${child}`, output: outcome.value, actorId: child }
    : { type: `xstate.error.actor.${child}`, error: outcome.error, actorId: child }
}
