/** The function that performs an effect. */
import type { EffectOutcome } from '../../../actors/effect-kinds.ts'
import type { EffectRequest } from '../../../actors/effect.ts'
import type { PerformContext } from '../perform/context.ts'
import type { PerformedKind } from '../perform/kinds.ts'
import type { PendingEffect } from './pending-effect.ts'

export type Perform = (
  request: EffectRequest<PerformedKind>,
  context: PerformContext,
  effect: PendingEffect,
) => PromiseLike<EffectOutcome<PerformedKind>>
