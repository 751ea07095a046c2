/** What an entry of a journal does to the actors of a run: the transitions that they take, their start and their end. */
import type { EffectKind } from '../../actors/effects/effect-names.ts'

/** A transition that a machine took. */
export interface TrailTransition {
  /** The actor: ids of the actors from the root agent to this one, joined with "/". */
  readonly path: string
  /** The id of its chart. */
  readonly machine: string
  /** The state before: names from the outermost state on, joined with ".", for example `thinking.calling`. */
  readonly from: string
  /** The state after; the same where the transition has no target. */
  readonly to: string
  /** The type of the event; absent for an eventless transition. */
  readonly event?: string
  /** The name of the guard that let it pass, with its parameters where they are simple. */
  readonly guard?: string
  /** The description of the transition in the chart; without one, that of the state that it enters. */
  readonly description?: string
  /** The path of the state in the chart that defines the transition; empty for the chart as a whole. */
  readonly source: string
  /** The position of the transition among the `transitions` of that state in its `Chart`, from 0. */
  readonly position: number
}

/** An actor of a run. */
export interface TrailActor {
  readonly path: string
  /** The id of its chart; absent for an effect. */
  readonly machine?: string
  /** Of an effect: its kind. */
  readonly effect?: EffectKind
  /** Of an effect: its key, which the entry of its outcome has. */
  readonly key?: string
}

/** An actor that has ended. */
export interface EndedActor extends TrailActor {
  /** `stopped`: its parent let it go before it was done. */
  readonly status: 'done' | 'error' | 'stopped'
}
