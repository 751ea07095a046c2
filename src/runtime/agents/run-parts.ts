/**
 * The agent parts that functions of one run made: a function is called once a run, and again where the run goes on in
 * another process.
 */
import { SparseMap } from '../../actors/values/sparse.ts'
import type { AgentDefinition, AgentParts } from '../definition/definition.ts'
import type { RunStarted } from '../journal/journal.ts'
import { lookUp } from '../definition/registry.ts'
import type { RunRegistry } from './run-registry.ts'
import { ConfigurationError } from '../../errors.ts'

export interface RunAgentPartsOptions {
  readonly registry: RunRegistry
  readonly started: RunStarted
  /** Registers an agent that comes with the run. Absent where the agents of a troupe are named beforehand. */
  readonly admit?: ((agent: AgentDefinition, where: string) => void) | undefined
}

export class RunAgentParts {
  readonly #options: RunAgentPartsOptions
  readonly #made = new SparseMap<string, Promise<AgentParts>>()
  /** Those that are made by now. */
  readonly #known = new SparseMap<string, AgentParts>()

  constructor(options: RunAgentPartsOptions) {
    this.#options = options
  }

  /** Rejects with the error of a function, and with a `ConfigurationError` for a part that is wrong. */
  of(agentId: string): Promise<AgentParts> {
    const known = this.#made.get(agentId)
    if (known !== undefined) return known
    const made = this.#make(agentId)
    this.#made.set(agentId, made)
    // Present callers get the rejection; the next call makes the parts anew.
    made.catch(() => this.#made.delete(agentId))
    return made
  }

  async #make(agentId: string): Promise<AgentParts> {
    const { registry, started, admit } = this.#options
    const definition = lookUp(registry, agentId)
    const { runId, context } = started
    const parts = (await definition.configure?.({ runId, context })) ?? definition
    this.#known.set(agentId, parts)
    assertNotRecursive(agentId, parts.agents, (agent) => (this.#known.get(agent.id) ?? agent).agents)
    if (admit !== undefined) {
      for (const [name, agent] of namedBy(parts)) {
        if (!registry.knows(agent)) admit(agent, `${name} of "${agentId}"`)
      }
    }
    return registry.withStandIns(parts, definition)
  }
}

type Subagents = AgentParts['agents']

/**
 * Throws a `ConfigurationError` when a delegation of `agentId` may lead to an agent that has `agentId` among its own
 * subagents: each would begin the work of the other anew, down to `maxDepth`. `subagentsOf`: as far as they are known.
 */
function assertNotRecursive(
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

/** The agents of parts that functions of the run made, by their places. */
function namedBy({ agents, successors = {} }: AgentParts): readonly (readonly [string, AgentDefinition])[] {
  return [
    ...Object.entries(agents).map(([key, agent]) => [`agents.${key}`, agent] as const),
    ...Object.entries(successors).map(([key, agent]) => [`handoffs.${key}`, agent] as const),
  ]
}
