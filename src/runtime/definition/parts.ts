/** Checks the parts of an agent: when it is defined, or, where functions of the run make them, each time. */
import { delegationPrefix, handoffPrefix } from '../../actors/strict/ids.ts'
import type { ChatModel } from '../../actors/chat-model.ts'
import type { Tool } from '../../actors/tool.ts'
import type { Successor, Successors } from '../../actors/handoff-tools.ts'
import { Toolset } from '../../actors/toolset/toolset.ts'
import type { Subagent } from '../../actors/toolset/tool-facts.ts'
import { expectedModel, foreignAgent, foreignTool } from '../../actors/strict/foreign.ts'
import { isObject, show } from '../../actors/strict/read-options.ts'
import { ConfigurationError } from '../../errors.ts'
import type { MemoryProfile } from '../../machines/contract/profile.ts'
import { memorySettings } from '../options/memory-options.ts'
import { readMemory } from '../options/option-fields.ts'
import type { MemoryOptions } from '../options/options.ts'
import { byKey } from './agents-given.ts'
import type { AgentDefinition, AgentParts, HandoffTargets, Parts } from './definition.ts'

/** Throws a `ConfigurationError` that names the error and its place. */
export function partsOf(parts: Parts, where: string): AgentParts {
  const { instructions, model, tools: ownTools, workflows, memory } = parts
  const agents = byKey(parts.agents, where)
  if (typeof instructions !== 'string')
    throw new ConfigurationError(`${where}: instructions must be a text, not ${show(instructions)}.`)
  const [first, ...fallbacks] = modelsOf(model, where)
  checkTools(ownTools, 'tool', where)
  checkTools(workflows, 'workflow', where)
  assertFindable({ ...ownTools, ...workflows }, where)
  const twice = Object.keys(workflows).find((name) => Object.hasOwn(ownTools, name))
  if (twice !== undefined) {
    throw new ConfigurationError(`${where}: a tool and a workflow are both named "${twice}".`)
  }
  checkAgents(agents, where)
  const tools = { ...ownTools, ...workflows }
  return {
    instructions,
    model: first,
    ...(fallbacks.length === 0 ? {} : { fallbacks }),
    tools,
    agents: { ...agents },
    toolset: Toolset.of(tools, subagentsOf(agents)),
    ...(memory === undefined ? {} : { memory: memoryOfRun(memory, where) }),
  }
}

/** The memory that a function of the run has made. */
function memoryOfRun(given: unknown, where: string): MemoryProfile | false {
  return memorySettings(readMemory(given, `${where}: memory`) as boolean | MemoryOptions)
}

/** The agents as a model sees them, by their keys. */
export function introduced(
  agents: Readonly<Record<string, AgentDefinition>>,
): Readonly<Record<string, Subagent>> {
  return Object.fromEntries(
    Object.entries(agents).map(([key, { id, description }]) => [key, { id, description }]),
  )
}

/** As `introduced`, for agents to delegate to. Tools that functions of the run make are not known here. */
export function subagentsOf(
  agents: Readonly<Record<string, AgentDefinition>>,
): Readonly<Record<string, Subagent>> {
  return Object.fromEntries(
    Object.entries(introduced(agents)).map(([key, subagent]) => {
      const background = backgroundOf(agents[key]?.tools ?? {})
      return [key, background === undefined ? subagent : { ...subagent, background }]
    }),
  )
}

/** The narrowest limit of tools in the background; `undefined`: there are none. */
function backgroundOf(tools: AgentParts['tools']): Subagent['background'] {
  const limits = Object.values(tools).flatMap(({ background }) => background?.concurrency ?? [])
  return limits.length === 0 ? undefined : { concurrency: Math.min(...limits) }
}

/** The same parts, with the successors that a function of the run has named. */
export function handingTo<Given extends AgentParts>(
  parts: Given,
  { agents, offered }: HandoffTargets,
): Given {
  return { ...parts, successors: agents, toolset: parts.toolset.handingTo(offered) }
}

/** The same successors, each described by its stand-in. */
export function describedBy(
  successors: Successors,
  standIns: Readonly<Record<string, AgentDefinition>>,
): Readonly<Record<string, Successor>> {
  return Object.fromEntries(
    Object.entries(introduced(standIns)).map(([key, agent]) => [key, { ...successors.get(key), ...agent }]),
  )
}

/** The most models of a row: a run calls each of them with its retries before it fails. */
export const mostModels = 16

/** The models of an agent, in their order. */
function modelsOf(given: unknown, where: string): readonly [ChatModel, ...ChatModel[]] {
  if (!Array.isArray(given)) return [checkedModel(given, `${where}: model`)]
  const [first, ...others] = given.map((model, place) => checkedModel(model, `${where}: model[${place}]`))
  if (first === undefined) throw new ConfigurationError(`${where}: model must hold at least one model.`)
  if (others.length < mostModels) return [first, ...others]
  throw new ConfigurationError(`${where}: model must hold at most ${mostModels} models, not ${given.length}.`)
}

function checkedModel(model: unknown, what: string): ChatModel {
  const candidate = model as Partial<ChatModel> | undefined | null
  if (
    typeof candidate?.generate !== 'function' ||
    typeof candidate.provider !== 'string' ||
    typeof candidate.modelId !== 'string'
  ) {
    throw new ConfigurationError(`${what} must be ${expectedModel(model)}.`)
  }
  return model as ChatModel
}

/** The names of functions that a model accepts. */
const namePattern = /^[A-Za-z0-9_-]{1,64}$/

function checkTools(tools: unknown, kind: 'tool' | 'workflow', where: string): void {
  assertByName(tools, `${kind}s`, where)
  for (const [name, tool] of Object.entries(tools) as [string, Partial<Tool> | undefined][]) {
    const isReserved = name.startsWith(delegationPrefix) || name.startsWith(handoffPrefix)
    if (!namePattern.test(name) || isReserved) {
      throw new ConfigurationError(
        `${where}: the ${kind} name "${name}" is not allowed. Expected 1 to 64 letters, digits, "_" or "-", not beginning with "${delegationPrefix}" or "${handoffPrefix}".`,
      )
    }
    if (typeof tool?.execute !== 'function' || tool.parameters === undefined) {
      const known = foreignTool(tool)
      throw new ConfigurationError(
        `${where}: the ${kind} "${name}" must come from ${kind === 'tool' ? 'createTool' : 'createWorkflow'}()${known === undefined ? '' : `; ${known}`}.`,
      )
    }
  }
}

/** Throws a `ConfigurationError` for deferred tools that no search can find. */
function assertFindable(tools: Readonly<Record<string, Tool>>, where: string): void {
  const [deferred] = Object.entries(tools).find(([, tool]) => tool.deferred === true) ?? []
  if (deferred === undefined || Object.values(tools).some(({ finds }) => finds !== undefined)) return
  throw new ConfigurationError(
    `${where}: the tool "${deferred}" is deferred, and no search can find it: give the agent all that deferTools() returns.`,
  )
}

function checkAgents(agents: unknown, where: string): asserts agents is AgentParts['agents'] {
  assertByName(agents, 'agents', where)
  for (const [key, agent] of Object.entries(agents)) checkAgent(key, agent, delegationPrefix, where)
}

/** The keys of the object are the names that a model sees; a list has none. */
function assertByName(given: unknown, parts: string, where: string): asserts given is object {
  if (isObject(given)) return
  const ids = Array.isArray(given) ? given.flatMap(idOf) : []
  const example = ids.length === 0 ? '' : `, such as { ${ids.join(', ')} }`
  const got = Array.isArray(given) ? 'a list' : show(given)
  const expected = parts === 'agents' ? 'an object by name or a list' : 'an object by name'
  throw new ConfigurationError(`${where}: ${parts} must be ${expected}${example}, not ${got}.`)
}

/** The id as a key of an object literal. */
function idOf(part: unknown): readonly string[] {
  const id = isObject(part) && 'id' in part ? part.id : undefined
  if (typeof id !== 'string') return []
  return [/^[A-Za-z_]\w*$/.test(id) ? id : `'${id}': …`]
}

/** Throws a `ConfigurationError` for a value that is no agent, or cannot be chosen by the tool `<prefix><key>`. */
export function checkAgent(key: string, given: unknown, prefix: string, where: string): void {
  const agent = given as Partial<AgentDefinition> | undefined
  if (!namePattern.test(prefix + key)) {
    throw new ConfigurationError(
      `${where}: the agent name "${key}" is not allowed. Expected 1 to ${64 - prefix.length} letters, digits, "_" or "-".`,
    )
  }
  if (agent?.settings === undefined || typeof agent.id !== 'string') {
    const known = foreignAgent(given)
    throw new ConfigurationError(
      `${where}: the agent "${key}" must come from createAgent() or another create function${known === undefined ? '' : `; ${known}`}.`,
    )
  }
  if (agent.description === undefined || agent.description.trim() === '') {
    throw new ConfigurationError(
      `${where}: the agent "${key}" has no description; ${prefix === delegationPrefix ? 'a supervisor chooses its subagents by it' : 'a model chooses by it whom it hands its conversation to'}.`,
    )
  }
}
