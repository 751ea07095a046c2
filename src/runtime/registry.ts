/** The agents of a troupe by id, subagents included. */
import { ConfigurationError } from '../errors.ts'
import type { AgentDefinition } from './definition.ts'

export type Registry = ReadonlyMap<string, AgentDefinition>

/** Throws a `ConfigurationError` when two different agents share an id. */
export function createRegistry(agents: readonly AgentDefinition[]): Registry {
  const registry = new Map<string, AgentDefinition>()
  const add = (agent: AgentDefinition, where: string): void => {
    const known = registry.get(agent.id)
    if (known === agent) return
    if (known !== undefined) {
      throw new ConfigurationError(`${where}: there are two different agents with the id "${agent.id}".`)
    }
    registry.set(agent.id, agent)
    for (const [key, subagent] of Object.entries(agent.agents))
      add(subagent, `agents.${key} of "${agent.id}"`)
  }
  for (const agent of agents) add(agent, 'createTroupe')
  return registry
}

export function lookUp(registry: Registry, id: string): AgentDefinition {
  const definition = registry.get(id)
  if (definition === undefined) {
    throw new ConfigurationError(
      `There is no agent "${id}" in this troupe. It has: ${[...registry.keys()].join(', ') || 'none'}.`,
    )
  }
  return definition
}
