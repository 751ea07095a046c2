/** The options on which the choices of an exploration depend. */
import type { PendingEffect } from '../../../runtime/engine/effects/pending-effect.ts'
import type { Offer } from '../alphabet/alphabet.ts'
import type { PersonSays } from '../alphabet/people.ts'
import type { RunState } from '../world/run-state.ts'

/** How the outside world may act against a run. */
export interface Adversary {
  readonly cancel: boolean
  readonly cancelDelegations: boolean
  /** `any`: in every order; `inOrder`: the earliest first; `never`: no timer ends. */
  readonly timers: 'any' | 'inOrder' | 'never'
  /** How many processes may end while a tool is at work. */
  readonly crashes: number
}

export interface ChoiceOptions {
  readonly people: readonly PersonSays[]
  readonly adversary: Adversary
  readonly offerOf: (key: string, world: RunState) => Offer
  /** Whether the deadline of an effect may pass. */
  readonly hasDeadline: (effect: PendingEffect) => boolean
}
