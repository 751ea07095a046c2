/**
 * The content of an agent by its named parts, each as a digest: a run tells by them which words, schemas and models have
 * changed since it began.
 */
import { digestText } from '../../actors/values/digest.ts'
import type { AgentDefinition, ContentSize } from '../definition/definition.ts'
import { modelNames } from '../definition/models.ts'
import type { ContentDigests } from './recorded.ts'

const known = new WeakMap<AgentDefinition, ContentDigests>()

/** The digests of a definition, made once. Parts that functions of the run make are not among them. */
export function contentOf(definition: AgentDefinition): ContentDigests {
  const made = known.get(definition) ?? digestsOf(definition)
  known.set(definition, made)
  return made
}

/** The size of the parts that are in each request of the agent. */
export function sizeOf(definition: AgentDefinition): ContentSize {
  const made = sizes.get(definition) ?? madeSize(definition)
  sizes.set(definition, made)
  return made
}

const sizes = new WeakMap<AgentDefinition, ContentSize>()

function madeSize({ instructions, toolset }: AgentDefinition): ContentSize {
  return { instructions: instructions.length, tools: JSON.stringify(toolset.whole.descriptions).length }
}

function digestsOf({
  instructions,
  model,
  fallbacks,
  toolset,
  settings,
  dynamic,
}: AgentDefinition): ContentDigests {
  const { tools, agents, handoffs = {} } = toolset.whole.description
  const own: [string, string][] = [
    ...(dynamic.includes('instructions') ? [] : [['instructions', instructions] as [string, string]]),
    ...(dynamic.includes('model')
      ? []
      : [['model', modelNames({ model, fallbacks }).join('\n')] as [string, string]]),
    ...tools.map(({ name, description, parameters, strict }): [string, string] => [
      `tool "${name}"`,
      JSON.stringify([description, parameters, strict]),
    ]),
    ...Object.entries(agents).map(([key, { description }]): [string, string] => [
      `description of the agent "${key}"`,
      description,
    ]),
    ...Object.entries(handoffs).map(([key, { description, parameters }]): [string, string] => [
      `handoff "${key}"`,
      JSON.stringify([description, parameters]),
    ]),
    ...(settings.responseFormat === undefined
      ? []
      : [['structuredOutput', JSON.stringify(settings.responseFormat)] as [string, string]]),
  ]
  return Object.fromEntries(own.map(([part, text]) => [part, digestText(text)]))
}
