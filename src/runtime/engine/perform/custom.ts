/** Performs `custom` effects: those that an adapter brings. */
import type { EffectOutcome } from '../../../actors/effects/effect-kinds.ts'
import type { EffectRequest } from '../../../actors/effects/effect.ts'
import { withSignal } from '../../../actors/values/own-getters.ts'
import { toJsonValue } from '../../../actors/values/to-json.ts'
import { ConfigurationError } from '../../../errors.ts'
import { sourceOf } from '../../actor-source.ts'
import { parentOf } from '../../../actors/xstate-internals.ts'
import type { PerformContext } from './context.ts'

export async function performCustom(
  { input, ref, perform }: EffectRequest<'custom'>,
  context: PerformContext,
): Promise<EffectOutcome<'custom'>> {
  const { name } = input
  if (perform === undefined)
    throw new ConfigurationError(`The effect "${name}" was not made by defineEffect: nothing performs it.`)
  const { agent, path } = sourceOf(parentOf(ref) ?? ref)
  const { runId, idempotencyKey, resourceId, runContext } = context
  const call = { runId, agent, path, idempotencyKey, resourceId, context: runContext }
  const outcome: unknown = await perform(input.input, withSignal(call, context))
  return outcome === undefined ? null : toJsonValue(outcome, `The outcome of the effect "${name}"`)
}
