/** Performs the effects that take a promise; the engine itself performs timers and signals. */
import type { EffectOutcome, EffectInput } from '../../../actors/effects/effect-kinds.ts'
import { ConfigurationError } from '../../../errors.ts'
import type { EffectRequest } from '../../../actors/effects/effect.ts'
import { performAround } from '../around/around.ts'
import type { PerformContext } from './context.ts'
import type { PerformedKind } from './kinds.ts'
import { performHook } from './hook.ts'
import { performCompaction } from './compaction.ts'
import { performCustom } from './custom.ts'
import { performMemory } from './memory.ts'
import { performModel } from './model.ts'
import { performRemote } from './remote.ts'
import { performScorer } from './scorer.ts'
import { performTool } from './tool.ts'
import { toJsonValue } from '../../../actors/values/to-json.ts'

/** Reports an exception of a user's function where it is thrown: in no replay, and again in each attempt. */
export function perform(
  request: EffectRequest<PerformedKind>,
  context: PerformContext,
): Promise<EffectOutcome<PerformedKind>> {
  const act = () =>
    performKind(request, context).catch((thrown: unknown) => {
      context.failed(thrown)
      throw thrown
    })
  const { around } = context
  return around === undefined ? act() : performAround(around, act)
}

function performKind(
  request: EffectRequest<PerformedKind>,
  context: PerformContext,
): Promise<EffectOutcome<PerformedKind>> {
  const { kind, input } = request as { [Kind in PerformedKind]: EffectRequest<Kind> }[PerformedKind]
  switch (kind) {
    case 'model':
      return performModel(input, context)
    case 'tool':
      return performTool(input, context)
    case 'hook':
      return performHook(input, context)
    case 'scorer':
      return performScorer(input, context)
    case 'config':
      return performConfig(input, context)
    case 'memory':
      return performMemory(input, context)
    case 'compaction':
      return performCompaction(input, context)
    case 'remote':
      return performRemote(input, context)
    case 'custom':
      return performCustom(request as EffectRequest<'custom'>, context)
    case 'agent':
      throw new ConfigurationError('Here agents run in the process of their run.')
  }
}

/** Performs `config` effects: reads the current config items. A store without configuration has none. */
async function performConfig(
  { kinds }: EffectInput<'config'>,
  { config }: PerformContext,
): Promise<EffectOutcome<'config'>> {
  const lists = await Promise.all(kinds.map(async (kind) => config?.items(kind) ?? []))
  return {
    items: lists
      .flat()
      .map(({ kind, key, value }) => ({ kind, key, value: toJsonValue(value, `The item "${key}"`) })),
  }
}
