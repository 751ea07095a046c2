/** Refuses an agent that is among its own subagents. */
import { ConfigurationError } from '../../errors.ts'
import type { AgentDefinition, AgentParts } from '../definition/definition.ts'

type Subagents = AgentParts['agents']

/**
 * Throws a `ConfigurationError` when a delegation of `agentId` may lead to an agent that has `agentId` among its own
 * subagents: each would begin the work of the other anew, down to `maxDepth`. `subagentsOf`: as far as they are known.
 */
export function assertNotRecursive(
  agentId: string,
  agents: Subagents,
  subagentsOf: (agent: AgentDefinition) => Subagents,
): void {
  const visited = new Set<string>()
  const wayBack = (subagents: Subagents): readonly string[] | undefined => {
    for (const agent of Object.values(subagents)) {
      if (agent.id === agentId) return [agent.id]
      if (visited.has(agent.id)) continue
      visited.add(agent.id)
      const way = wayBack(subagentsOf(agent))
      if (way !== undefined) return [agent.id, ...way]
    }
    return undefined
  }
  for (const [key, agent] of Object.entries(agents)) {
    const way = wayBack({ [key]: agent })
    if (way === undefined) continue
    throw new ConfigurationError(
      `agents.${key} of "${agentId}": the agent contains itself (${[agentId, ...way].join(' → ')}), and each delegation would begin its work anew. Give it other subagents; an agent that is to go on with a conversation belongs in handoffs.`,
    )
  }
}
