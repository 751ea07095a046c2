/** The choices of an exploration: each lets one thing happen that may happen in the present state of a run. */
import type { AnyEventObject } from 'xstate'
import type { EffectOutcome } from '../../../actors/effects/effect-kinds.ts'
import type { Settlement } from '../../../actors/effects/effect.ts'

/** `label`: the choice as a report shows it. */
export type Choice = { readonly label: string } & (
  | {
      readonly type: 'settle'
      readonly key: string
      /** Of the outcome, as its alphabet names it. */
      readonly name: string
      readonly settlement: Settlement
      /** The run had let go of the effect. */
      readonly isLate?: true
    }
  /** An effect does not settle before its deadline. */
  | { readonly type: 'timeOut'; readonly key: string }
  | {
      readonly type: 'answer'
      readonly key: string
      /** Of the question, as `run.approve` takes it. */
      readonly id: string
      readonly answer: EffectOutcome<'signal'>
    }
  /** A person speaks to the agent that holds the conversation. */
  | { readonly type: 'say'; readonly message: string }
  /** No person ever answers the question. */
  | { readonly type: 'ignore'; readonly key: string }
  /** A timer ends. */
  | { readonly type: 'fire'; readonly key: string }
  /** The time limit of the run passes. */
  | { readonly type: 'expire' }
  | { readonly type: 'cancel' }
  /** The process ends, and another one goes on with the run. */
  | { readonly type: 'crash' }
  | { readonly type: 'cancelDelegation'; readonly id: string }
  /** An event from outside, for a machine that is no agent. */
  | {
      readonly type: 'event'
      readonly event: AnyEventObject
      /** The end of a delay (`after`). */
      readonly isDelay: boolean
    }
)

/** One outcome of an effect. */
export interface OfferedOutcome {
  readonly name: string
  readonly settlement: Settlement
}

/** An event from outside, with the number of journal entries at the time when it was sent. */
export interface SentEvent {
  readonly after: number
  readonly choice: Extract<Choice, { type: 'event' }>
}
