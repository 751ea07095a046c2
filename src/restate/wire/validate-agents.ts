/** Refuses agents that cannot be made durable on Restate, before anything runs. */
import { is } from '../../actors/strict/checks.ts'
import { isRecord } from '../../actors/values/json.ts'
import { ConfigurationError } from '../../errors.ts'
import { someAgents, type GivenAgents } from '../../runtime/definition/agents-given.ts'
import type { AgentDefinition } from '../../runtime/definition/definition.ts'
import { AgentRegistry } from '../../runtime/definition/registry.ts'

/** The parts of a store that outlive a run: Restate keeps the rest. */
export const sharedStore = is(
  'a store ({ memory, config }) that all workers share',
  (given) => isRecord(given) && isRecord(given['memory']) && isRecord(given['config']),
)

/** Returns the agents with those below them. Throws a `ConfigurationError`. */
export function registryOfAgents(agents: GivenAgents, where: string): AgentRegistry {
  const registry = new AgentRegistry()
  for (const agent of someAgents(agents, `${where}: agents`)) registry.add(agent, where)
  return registry
}

/** Whether an agent, or a possible successor of it, has subagents. */
export function delegates(agent: AgentDefinition): boolean {
  const line = new Set([agent])
  for (const one of line) Object.values(one.handoffs?.agents() ?? {}).forEach((next) => line.add(next))
  return [...line].some(
    ({ agents, dynamic }) =>
      Object.keys(agents).length > 0 || dynamic.includes('agents') || dynamic.includes('handoffs'),
  )
}

/** Memory must be shared by all workers: agents with memory need a store. */
export function assertMemory(registry: AgentRegistry, hasStore: boolean, where: string): void {
  if (hasStore) return
  for (const { id, settings, dynamic } of registry.values()) {
    const mayRemember = dynamic.includes('memory') || (settings.memory ?? false) !== false
    if (!mayRemember) continue
    throw new ConfigurationError(
      `${where}: the agent "${id}" has memory. Give the endpoint a store that all workers share, for example { store: { memory, config } }.`,
    )
  }
}
