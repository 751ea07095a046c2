/**
 * The agents of a troupe by id, subagents included. Versions of an agent stand side by side; `run-registry.ts`
 * chooses those that a run sees.
 */
import { ConfigurationError } from '../../errors.ts'
import type { AgentDefinition } from './definition.ts'
import type { AgentStatus } from '../options/version-selectors.ts'

export type Registry = Pick<ReadonlyMap<string, AgentDefinition>, 'get' | 'keys'>

/** Maps an id to the version that was registered last; `versionOf` gives the others. */
export class AgentRegistry extends Map<string, AgentDefinition> {
  readonly #versions = new Map<string, Map<string | undefined, AgentDefinition>>()
  /** The agents that were added themselves, and not registered below another. */
  readonly #named: AgentDefinition[] = []
  #hasVersions = false
  #isPlain = true

  /** Registers an agent that is named itself, not found below another. */
  add(agent: AgentDefinition, where: string): void {
    this.register(agent, where)
    this.#named.push(agent)
  }

  /** Registers an agent and those below it. Throws a `ConfigurationError` when another one has its id and version. */
  register(agent: AgentDefinition, where: string): void {
    const versions = this.#versions.get(agent.id) ?? new Map<string | undefined, AgentDefinition>()
    const known = versions.get(agent.version)
    if (known === agent) return
    if (known !== undefined) {
      const version = agent.version === undefined ? '' : ` and the version "${agent.version}"`
      throw new ConfigurationError(
        `${where}: there are two different agents with the id "${agent.id}"${version}.`,
      )
    }
    versions.set(agent.version, agent)
    this.#versions.set(agent.id, versions)
    this.#hasVersions ||= versions.size > 1
    this.#isPlain &&= versions.size === 1 && agent.version === undefined && agent.status === 'published'
    this.set(agent.id, agent)
    for (const [name, child] of childrenOf(agent)) this.register(child, `${name} of "${agent.id}"`)
  }

  knows(agent: AgentDefinition): boolean {
    return this.#versions.get(agent.id)?.get(agent.version) === agent
  }

  /** The agents that were added themselves, not found below another. */
  get named(): readonly AgentDefinition[] {
    return this.#named
  }

  /** Whether some agent is here in several versions. */
  get hasVersions(): boolean {
    return this.#hasVersions
  }

  /** Whether there is nothing to choose: each agent is here once, published and without a version. */
  get isPlain(): boolean {
    return this.#isPlain
  }

  versionsOf(id: string): readonly AgentDefinition[] {
    return [...(this.#versions.get(id)?.values() ?? [])]
  }

  /** The version of this status that was added last; where none was added itself, the one registered last. */
  newest(id: string, status: AgentStatus): AgentDefinition | undefined {
    const isOne = (agent: AgentDefinition): boolean => agent.id === id && agent.status === status
    return this.#named.findLast(isOne) ?? this.versionsOf(id).findLast(isOne)
  }

  /** What a run without a version takes where each agent has a version by now. */
  #taken(id: string): AgentDefinition | undefined {
    return this.newest(id, 'published')
  }

  /**
   * A run without a version takes the agent that is here. Throws a `ConfigurationError` that lists the versions that there
   * are.
   */
  versionOf(id: string, version: string | undefined): AgentDefinition {
    const asked = version === undefined ? 'none' : `"${version}"`
    const versions = this.#versions.get(id)
    if (versions === undefined) {
      const began = version === undefined ? '' : `, with whose version ${asked} the run began`
      throw new ConfigurationError(`There is no agent "${id}" in this troupe${began}. ${has(this)}`)
    }
    const agent = versions.get(version) ?? (version === undefined ? this.#taken(id) : undefined)
    if (agent !== undefined) return agent
    const known = [...versions.keys()].map((name) => (name === undefined ? 'none' : `"${name}"`)).join(', ')
    throw new ConfigurationError(
      `The agent "${id}" is not here in the version that the run began with: ${asked}. There are: ${known}. Register that version beside the others.`,
    )
  }
}

/** The subagents and successors of an agent, by their places. Those from functions of the run are not included. */
export function childrenOf(agent: AgentDefinition): readonly (readonly [string, AgentDefinition])[] {
  const { agents, handoffs } = agent
  const successors = handoffs?.agents() ?? {}
  return [
    ...Object.entries(agents).map(([key, agent]) => [`agents.${key}`, agent] as const),
    ...Object.entries(successors).map(([key, agent]) => [`handoffs.${key}`, agent] as const),
  ]
}

/** Throws a `ConfigurationError` when two different agents share an id and a version. */
export function createRegistry(agents: readonly AgentDefinition[]): AgentRegistry {
  const registry = new AgentRegistry()
  for (const agent of agents) registry.add(agent, 'createTroupe')
  return registry
}

export function lookUp(registry: Registry, id: string): AgentDefinition {
  const definition = registry.get(id)
  if (definition === undefined) {
    throw new ConfigurationError(`There is no agent "${id}" in this troupe. ${has(registry)}`)
  }
  return definition
}

/** Throws a `ConfigurationError` where the troupe has no agent of this id, and where it has another one. */
export function assertRegistered(registry: AgentRegistry, agent: AgentDefinition): void {
  lookUp(registry, agent?.id)
  if (registry.knows(agent)) return
  throw new ConfigurationError(
    `This troupe has another agent with the id "${agent.id}". If a hot reload has run its module again, keep both in one place: const { agent, troupe } = (globalThis.app ??= makeApp()).`,
  )
}

function has(registry: Registry): string {
  return `It has: ${[...registry.keys()].join(', ') || 'none'}.`
}
