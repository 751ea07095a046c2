/** The calls that a run has let go of, by a bail or a deadline, and that are still at work: their ends are recorded. */
import type { Engine } from '../../../runtime/engine/engine.ts'
import { isKind, type PendingEffect } from '../../../runtime/state/effects/pending-effect.ts'

interface Run {
  readonly engine: Engine
  /** Performed and unsettled effects, by key. */
  readonly held: ReadonlyMap<string, unknown>
}

export function lateEffects({ engine, held }: Run): readonly PendingEffect<'tool'>[] {
  return [...engine.effects.letGone.values()].flatMap((effect) =>
    isKind(effect, 'tool') && held.has(effect.key) && isAwaited(effect) ? [effect] : [],
  )
}

function isAwaited({ state }: PendingEffect): boolean {
  return state === 'detached' || state === 'expired'
}
