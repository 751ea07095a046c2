/** The calls that a run has let go of, by a bail or a deadline, and that are still at work: their ends are recorded. */
import type { RunState } from '../../../runtime/state/run-state.ts'
import { isKind, type PendingEffect } from '../../../runtime/state/effects/pending-effect.ts'

interface Run {
  readonly state: RunState
  /** Performed and unsettled effects, by key. */
  readonly held: ReadonlyMap<string, unknown>
}

export function lateEffects({ state, held }: Run): readonly PendingEffect<'tool'>[] {
  return [...state.effects.letGone.values()].flatMap((effect) =>
    isKind(effect, 'tool') && held.has(effect.key) && isAwaited(effect) ? [effect] : [],
  )
}

function isAwaited({ state }: PendingEffect): boolean {
  return state === 'detached' || state === 'expired'
}
