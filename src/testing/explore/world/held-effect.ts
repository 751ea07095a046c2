/** An effect that is held until a choice settles it. */
import type { Settlement } from '../../../actors/effects/effect.ts'
import type { PendingEffect } from '../../../runtime/state/effects/pending-effect.ts'
import type { PerformContext } from '../../../runtime/engine/perform/context.ts'

export interface HeldEffect {
  readonly effect: PendingEffect
  readonly context: PerformContext
  readonly settle: (settlement: Settlement) => void
}
