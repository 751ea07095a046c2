/** The models of an agent in their order, and their names. */
import type { ChatModel } from '../../actors/chat-model.ts'
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
