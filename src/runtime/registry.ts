/** The agents of a troupe by id, subagents included. */
import { ConfigurationError } from '../errors.ts'
import type { AgentDefinition } from './definition.ts'

export type Registry = ReadonlyMap<string, AgentDefinition>

/** Throws a `ConfigurationError` when two different agents share an id. */
export function createRegistry(agents: readonly AgentDefinition[]): Map<string, AgentDefinition> {
  const registry = new Map<string, AgentDefinition>()
  for (const agent of agents) register(registry, agent, 'createTroupe')
  return registry
}

/** As `createRegistry`, for one more agent. */
export function register(
  registry: Map<string, AgentDefinition>,
  agent: AgentDefinition,
  where: string,
): void {
  const known = registry.get(agent.id)
  if (known === agent) return
  if (known !== undefined) {
    throw new ConfigurationError(`${where}: there are two different agents with the id "${agent.id}".`)
  }
  registry.set(agent.id, agent)
  for (const [key, subagent] of Object.entries(agent.agents)) {
    register(registry, subagent, `agents.${key} of "${agent.id}"`)
  }
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
