/** Agents as they are given: a list, or an object by name. */
import { foreignAgent } from '../../actors/strict/foreign.ts'
import { isObject, show, type Reader } from '../../actors/strict/read-options.ts'
import { ConfigurationError } from '../../errors.ts'
import type { AgentDefinition, AnyAgent } from './definition.ts'

/** Agents for a place where ids name them: a list, or an object by their ids. */
export type GivenAgents = readonly AnyAgent[] | Readonly<Record<string, AnyAgent>>

/** A list as an object, where the key of each agent is its id; anything else as it is. Throws for an id that stands twice. */
export function byKey(given: unknown, where: string): unknown {
  if (!Array.isArray(given)) return given
  const agents: Record<string, unknown> = {}
  for (const [index, agent] of (given as readonly unknown[]).entries()) {
    const key = idOf(agent) ?? String(index)
    if (Object.hasOwn(agents, key))
      throw new ConfigurationError(
        `${where}: agents has the agent "${key}" twice. As an object, agents may have keys of their own.`,
      )
    agents[key] = agent
  }
  return agents
}

/** Reads the agents of a place where ids name them, as a list: there may be none. */
export const noneOrAgents: Reader<readonly AgentDefinition[]> = (given, where) => {
  const agents = Array.isArray(given) ? Array.from(given as readonly unknown[]) : agentsById(given, where)
  for (const [index, agent] of agents.entries()) assertAgent(agent, `${where}[${index}]`)
  return agents as readonly AgentDefinition[]
}

/** Reads the agents of a place where ids name them, as a list of at least one. */
export const someAgents: Reader<readonly AgentDefinition[]> = (given, where) => {
  const agents = noneOrAgents(given, where)
  if (agents.length > 0) return agents
  throw new ConfigurationError(`${where} must hold at least one agent.`)
}

function agentsById(given: unknown, where: string): readonly unknown[] {
  if (isAgent(given)) {
    throw new ConfigurationError(
      `${where} must be a list of agents, such as [${given.id}], and not one agent.`,
    )
  }
  if (!isObject(given)) {
    throw new ConfigurationError(
      `${where} must be a list of agents, or an object by their ids, not ${show(given)}.`,
    )
  }
  return Object.entries(given).map(([key, agent]: [string, unknown]) => {
    const id = idOf(agent)
    if (id === undefined || id === key) return agent
    throw new ConfigurationError(
      `${where}.${key} is the agent "${id}", and key and id must be the same here. A list has no keys: agents: [${key}].`,
    )
  })
}

function assertAgent(given: unknown, where: string): void {
  if (!isAgent(given))
    throw new ConfigurationError(
      `${where} must come from createAgent() or another create function; ${foreignAgent(given) ?? `it is ${show(given)}`}.`,
    )
}

/** Throws a `ConfigurationError` for a value with which no run can start. */
export function assertStarts(given: unknown): void {
  if (isAgent(given)) return
  throw new ConfigurationError(
    `A run starts with an agent itself, as in start(agent, prompt), and not with ${isObject(given) ? 'an object' : show(given)}.`,
  )
}

/** Whether it comes from a create function. */
export function isAgent(given: unknown): given is AgentDefinition {
  return isObject(given) && idOf(given) !== undefined && 'settings' in given && 'pattern' in given
}

function idOf(given: unknown): string | undefined {
  const id: unknown = isObject(given) ? Reflect.get(given, 'id') : undefined
  return typeof id === 'string' ? id : undefined
}
