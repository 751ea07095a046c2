/** Performs `config` effects: reads the current config items. */
import type { EffectInput, EffectOutcome } from '../../../actors/effect-kinds.ts'
import { toJsonValue } from '../../../actors/values/to-json.ts'
import type { PerformContext } from './context.ts'

export async function performConfig(
  { kinds }: EffectInput<'config'>,
  { config }: PerformContext,
): Promise<EffectOutcome<'config'>> {
  const lists = await Promise.all(kinds.map((kind) => config.items(kind)))
  return {
    items: lists
      .flat()
      .map(({ kind, key, value }) => ({ kind, key, value: toJsonValue(value, `The item "${key}"`) })),
  }
}
