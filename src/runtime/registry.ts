/**
 * The agents of a troupe by id, subagents included. Versions of an agent stand side by side: a run keeps to the one
 * that it began with, and to the subagents of that one.
 */
import { ConfigurationError } from '../errors.ts'
import type { AgentDefinition } from './definition.ts'
import type { RunStarted } from './journal.ts'

export type Registry = ReadonlyMap<string, AgentDefinition>

/** By id the version that was registered last; the others by `versionOf`. */
export class AgentRegistry extends Map<string, AgentDefinition> {
  readonly #versions = new Map<string, Map<string | undefined, AgentDefinition>>()
  #hasVersions = false

  /** Takes an agent and those below it. Throws a `ConfigurationError` when another one has its id and version. */
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
    this.set(agent.id, agent)
    for (const [key, subagent] of Object.entries(agent.agents)) {
      this.register(subagent, `agents.${key} of "${agent.id}"`)
    }
    for (const [key, successor] of Object.entries(agent.handoffs?.agents() ?? {})) {
      this.register(successor, `handoffs.${key} of "${agent.id}"`)
    }
  }

  knows(agent: AgentDefinition): boolean {
    return this.#versions.get(agent.id)?.get(agent.version) === agent
  }

  /** Throws a `ConfigurationError` that lists the versions that there are. */
  versionOf(id: string, version: string | undefined): AgentDefinition {
    lookUp(this, id)
    const versions = this.#versions.get(id) ?? new Map<string | undefined, AgentDefinition>()
    const agent = versions.get(version)
    if (agent !== undefined) return agent
    const known = [...versions.keys()].map((name) => (name === undefined ? 'none' : `"${name}"`)).join(', ')
    throw new ConfigurationError(
      `The agent "${id}" is not here in the version that the run began with: ${version === undefined ? 'none' : `"${version}"`}. There are: ${known}. Register that version beside the others.`,
    )
  }

  /** The agents as a run of `root` sees them: those below it are its own. */
  seenFrom(root: AgentDefinition): Registry {
    if (!this.#hasVersions) return this
    const seen = new Map<string, AgentDefinition>(this)
    const followed = new Set([root])
    const add = (agent: AgentDefinition): void => {
      seen.set(agent.id, agent)
      Object.values(agent.agents).forEach(add)
      for (const successor of Object.values(agent.handoffs?.agents() ?? {})) {
        if (followed.has(successor)) continue // two may hand to each other
        followed.add(successor)
        add(successor)
      }
    }
    add(root)
    return seen
  }
}

/** Throws a `ConfigurationError` when two different agents share an id and a version. */
export function createRegistry(agents: readonly AgentDefinition[]): AgentRegistry {
  const registry = new AgentRegistry()
  for (const agent of agents) registry.register(agent, 'createTroupe')
  return registry
}

/** The agents as the run sees them that began so. Throws a `ConfigurationError` when its version is not here. */
export function registryOf(registry: AgentRegistry, { agent, version }: RunStarted): Registry {
  return registry.seenFrom(registry.versionOf(agent, version))
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
