/** Routers and dispatchers on scripted models, and decisions as a model writes them. */
import {
  createDispatcher,
  createRouter,
  type ChatModel,
  type DispatcherConfig,
  type DispatcherOptions,
  type JsonValue,
  type RouterConfig,
  type RouterOptions,
  type RoutingDecision,
} from 'troupe'
import { scriptedModel, type ScriptedStep } from 'troupe/testing'
import type { Cast } from './agents.ts'

type Rest<Config> = Partial<Omit<Config, 'id' | 'model'>>

/** A router that decides with `steps`. Its instructions are "I am <id>.". */
export function router(
  id: string,
  steps: readonly ScriptedStep[],
  config: Rest<RouterConfig> = {},
  around: (model: ChatModel) => ChatModel = (model) => model,
): Cast<RouterOptions> {
  const model = scriptedModel(steps, { modelId: id })
  const described = { id, description: `Routes ${id}.`, instructions: `I am ${id}.` }
  return { agent: createRouter({ ...described, memory: true, ...config, model: around(model) }), model }
}

/** A dispatcher that decides with `steps`. Its instructions are "I am <id>.". */
export function dispatcher(
  id: string,
  steps: readonly ScriptedStep[],
  config: Rest<DispatcherConfig> = {},
): Cast<DispatcherOptions> {
  const model = scriptedModel(steps, { modelId: id })
  const described = { id, description: `Dispatches ${id}.`, instructions: `I am ${id}.` }
  return { agent: createDispatcher({ ...described, ...config, model }), model }
}

function decision(
  primitiveType: RoutingDecision['primitiveType'],
  primitiveId: string,
  prompt: string,
  selectionReason: string,
): string {
  return JSON.stringify({ primitiveId, primitiveType, prompt, selectionReason })
}

/** "Let this agent work on that." */
export function toAgent(key: string, prompt: string, reason = `${key} fits.`): string {
  return decision('agent', key, prompt, reason)
}

/** "Call this tool with that." */
export function toTool(name: string, input: JsonValue, reason = `${name} fits.`): string {
  return decision('tool', name, JSON.stringify(input), reason)
}

/** "Run this workflow with that." */
export function toWorkflow(name: string, input: JsonValue, reason = `${name} fits.`): string {
  return decision('workflow', name, JSON.stringify(input), reason)
}

/** "The task is done." */
export function done(answer: string, reason = 'It is done.'): string {
  return decision('none', 'none', answer, reason)
}
