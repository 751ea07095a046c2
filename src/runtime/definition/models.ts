/** The models of an agent in their order, and their names. */
import type { ChatModel } from '../../actors/chat-model.ts'
import type { CalledModel } from '../../errors.ts'
import type { AgentParts } from './definition.ts'

type Row = Pick<AgentParts, 'model' | 'fallbacks'>

/** Provider and model id. */
export function modelName({ provider, modelId }: Pick<ChatModel, 'provider' | 'modelId'>): string {
  return `${provider}/${modelId}`
}

/** The names of all models, the first one first. */
export function modelNames({ model, fallbacks = [] }: Row): readonly string[] {
  return [model, ...fallbacks].map(modelName)
}

/** The model at a place of the row, from 0. The last one, where the agent has fewer by now than the run began with. */
export function modelIn({ model, fallbacks = [] }: Row, place = 0): ChatModel {
  return place === 0 ? model : (fallbacks[place - 1] ?? fallbacks.at(-1) ?? model)
}

/**
 * The model at a place, and the model that follows it. `fallbacks`: how many models follow the first one in the row of the run.
 * `undefined`: the run has no row.
 */
export function calledIn(
  row: Row,
  place = 0,
  fallbacks = row.fallbacks?.length ?? 0,
): CalledModel | undefined {
  if (fallbacks === 0 && place === 0) return undefined
  const model = modelName(modelIn(row, place))
  return place < fallbacks ? { model, next: modelName(modelIn(row, place + 1)) } : { model }
}
