/** The model of a call, in its outcome: an edit of the row of models does not change what the run has on record. */
import type { EffectOutcome } from '../../../actors/effects/effect-kinds.ts'
import type { Settlement } from '../../../actors/effects/effect.ts'
import type { PendingEffect } from '../../state/effects/pending-effect.ts'

/** The settlement with the model that was called, where the agent has several. */
export function withModel({ called }: PendingEffect, settlement: Settlement): Settlement {
  if (called === undefined) return settlement
  if (settlement.error !== undefined) return { error: { called, ...settlement.error } }
  const reply = settlement.value as EffectOutcome<'compaction' | 'model'>
  return { value: { called, ...reply } }
}
