/** The end of a model call, for the readers that have seen the deltas of its message. */
import type { EffectOutcome } from '../../../actors/effects/effect-kinds.ts'
import type { Settlement } from '../../../actors/effects/effect.ts'
import type { ModelCallEnd } from '../../handle/run-event.ts'
import { messageId } from '../../handle/event-recorder.ts'
import { isKind, type PendingEffect } from './pending-effect.ts'

/** `settlement`: absent where the call was let go of. `undefined`: the effect is no model call. */
export function modelCallEnd(
  effect: PendingEffect | undefined,
  settlement?: Settlement,
): ModelCallEnd | undefined {
  if (effect === undefined || !isKind(effect, 'model')) return undefined
  const { source, request } = effect
  const reply = settlement?.value as EffectOutcome<'model'> | undefined
  return {
    messageId: messageId(source.path, request.input.message),
    status: statusOf(reply),
    'text-delta': reply?.text ?? '',
    'reasoning-delta': reply?.reasoning ?? '',
  }
}

function statusOf(reply: EffectOutcome<'model'> | undefined): ModelCallEnd['status'] {
  if (reply === undefined) return 'cut'
  return reply.screening?.tripwire === undefined ? 'complete' : 'rejected'
}
