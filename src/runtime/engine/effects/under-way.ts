/** The effects of a run that have begun and not ended: a draining troupe waits for them. */
import type { EffectKind } from '../../../actors/effects/effect-names.ts'
import type { WantedEffects } from '../../state/effects/wanted-effects.ts'
import type { PendingEffect } from '../../state/effects/pending-effect.ts'
import { nameOf, type PerformedRequest } from './exceptions.ts'

/** An effect that has begun and not ended. */
export interface EffectUnderWay {
  /** `tool`, `model`, `hook`, `scorer`, `memory`, `config`, `agent`, `remote` or `custom`. */
  readonly kind: EffectKind
  /** The effect's key in the journal; stable over replays. */
  readonly key: string
  /** Of the tool, hook, scorer or model. */
  readonly name?: string
}

/** Whether the effect has begun, and its end is neither on record nor on its way there. */
export function isAtWork(effect: PendingEffect): boolean {
  const { kind, state, isRecorded, awaiting } = effect
  if (kind === 'signal' || kind === 'timer') return false
  if (state === 'detached' || state === 'starting') return true
  if (state === 'requested') return isRecorded // it starts when its turn ends
  return state === 'performing' && !effect.isHeld && awaiting === undefined
}

export function underWayIn({
  pending,
  letGone,
}: Pick<WantedEffects, 'pending' | 'letGone'>): EffectUnderWay[] {
  return [...pending.values(), ...letGone.values()].filter(isAtWork).map(({ kind, key, request }) => {
    const name = nameOf(request as PerformedRequest)
    return name === undefined ? { kind, key } : { kind, key, name }
  })
}
