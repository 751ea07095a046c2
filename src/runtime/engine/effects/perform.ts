/** The functions that perform an effect, and that begin the runs of a call. */
import type { EffectOutcome } from '../../../actors/effects/effect-kinds.ts'
import type { EffectRequest } from '../../../actors/effects/effect.ts'
import type { RunStarted } from '../../journal/journal.ts'
import type { NestedRunsOfCall, PerformContext } from '../perform/context.ts'
import type { PerformedKind } from '../perform/kinds.ts'
import type { Budget } from '../../state/effects/budget.ts'
import type { PendingEffect } from '../../state/effects/pending-effect.ts'

export type Perform = (
  request: EffectRequest<PerformedKind>,
  context: PerformContext,
  effect: PendingEffect,
) => PromiseLike<EffectOutcome<PerformedKind>>

/** The call of a tool that may begin runs, with its run. */
export interface NestingCall {
  readonly started: RunStarted
  readonly effect: PendingEffect
  /** The idempotency key of the call. */
  readonly key: string
  readonly budget: Budget | undefined
}

export type Nest = (call: NestingCall) => NestedRunsOfCall
