/**
 * Performs an effect within a durable step, up to its deadline, by the clock of its host. A step in progress eventually
 * keeps its run from receiving any other result, so none outlasts its effect.
 */
import type { EffectRequest, Settlement } from '../../actors/effect.ts'
import { timeoutError, timeoutException } from '../../runtime/state/effects/deadline.ts'
import { CancelledError, toErrorData } from '../../errors.ts'
import type { PerformContext } from '../../runtime/engine/perform/context.ts'
import { perform } from '../../runtime/engine/perform/index.ts'
import { errorCodes, type PerformedKind } from '../../runtime/engine/perform/kinds.ts'
import type { PendingEffect } from '../../runtime/state/effects/pending-effect.ts'

/** An outcome after the deadline, or after the run has let go of the effect, is not recorded. */
export async function settledInTime(
  request: EffectRequest<PerformedKind>,
  context: PerformContext,
  effect: PendingEffect,
): Promise<Settlement> {
  const { clock, signal } = context
  const begun = clock.now()
  const due = (): number => begun + (effect.timeout ?? Number.POSITIVE_INFINITY)
  const ended = Promise.withResolvers<Settlement>()
  const onAbort = (): void => ended.resolve({ error: toErrorData(new CancelledError()) })
  let hasTimedOut = false
  const onTimeout = (): void => {
    if (hasTimedOut) return
    hasTimedOut = true
    context.failed(timeoutException(effect))
    const error = timeoutError(effect)
    ended.resolve({ error })
    effect.signalTimeout(error)
  }
  signal.addEventListener('abort', onAbort, { once: true })
  const settled = settlementOf(request, context)
  let callOff: (() => void) | undefined
  const limit = (): void => {
    callOff?.()
    callOff = due() === Number.POSITIVE_INFINITY ? undefined : clock.after(due() - clock.now(), onTimeout)
  }
  limit()
  effect.limited = limit // the limits of the run may leave it less time while it is under way
  const settlement = await Promise.race([settled, ended.promise])
  effect.limited = undefined
  callOff?.()
  signal.removeEventListener('abort', onAbort)
  if (clock.now() < due()) return settlement
  onTimeout()
  return ended.promise
}

async function settlementOf(
  request: EffectRequest<PerformedKind>,
  context: PerformContext,
): Promise<Settlement> {
  try {
    return { value: await perform(request, context) }
  } catch (thrown) {
    return { error: toErrorData(thrown, errorCodes[request.kind]) }
  }
}
