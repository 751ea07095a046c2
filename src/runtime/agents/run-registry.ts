/**
 * The registry of one run: one version of each agent, those that it began with. Where a supervisor has another version
 * of a subagent, the one that the run takes replaces it.
 */
import { ConfigurationError } from '../../errors.ts'
import { describedBy, handingTo, subagentsOf } from '../definition/parts.ts'
import { changedAgent, type AgentDefinition, type AgentParts } from '../definition/definition.ts'
import type { RunStarted } from '../journal/journal.ts'
import { asRecorded } from '../program/as-recorded.ts'
import type { RecordedAgents } from '../program/recorded.ts'
import { withClientTools } from './client-tools.ts'
import type { ClientTool } from '../../actors/toolset/client-tools.ts'
import { childrenOf, lookUp, type AgentRegistry, type Registry } from '../definition/registry.ts'

type Taken = ReadonlyMap<string, AgentDefinition>

const nobody: Taken = new Map()

export class RunRegistry implements Registry {
  readonly #all: AgentRegistry
  readonly #taken: Taken
  /** The versions taken, each with the versions below it that the run takes. */
  readonly #seen: Taken
  /** The versions that the caller has asked for. */
  readonly #asked: RunStarted['versionOverrides']

  constructor(all: AgentRegistry, taken: Taken, seen: Taken, asked: RunStarted['versionOverrides']) {
    this.#all = all
    this.#taken = taken
    this.#seen = seen
    this.#asked = asked
  }

  get(id: string): AgentDefinition | undefined {
    return this.#seen.get(id) ?? this.#all.get(id)
  }

  keys(): MapIterator<string> {
    return this.#all.keys()
  }

  /** The same agents with the structure that the run has on record. */
  asRecorded(agents: RecordedAgents): RunRegistry {
    const recorded = new Map<string, AgentDefinition>()
    let isToday = true
    for (const [id, program] of Object.entries(agents)) {
      const today = this.get(id)
      if (today === undefined) continue
      const agent = asRecorded(today, program, (other) => this.get(other))
      isToday &&= agent === today
      recorded.set(id, agent)
    }
    if (isToday) return this
    return new RunRegistry(this.#all, this.#taken, new Map([...this.#seen, ...recorded]), this.#asked)
  }

  /** The same agents, where the root agent of the run has the tools of its client too. */
  withClientTools(rootId: string, tools: readonly ClientTool[]): RunRegistry {
    const root = withClientTools(lookUp(this, rootId), tools)
    return new RunRegistry(this.#all, this.#taken, new Map([...this.#seen, [rootId, root]]), this.#asked)
  }

  /** The version that the run takes of an agent, as it was defined; `undefined`: the run resolved none. */
  taken(id: string): AgentDefinition | undefined {
    return this.#taken.get(id)
  }

  knows(agent: AgentDefinition): boolean {
    return (this.taken(agent.id) ?? this.#all.get(agent.id)) === agent
  }

  /**
   * The parts that a function of the run has made, with the versions that the run takes.
   * Throws a `ConfigurationError` for an agent that is unknown, and for a version that the run does not take.
   */
  withStandIns(parts: AgentParts, definition: AgentDefinition): AgentParts {
    const { id, dynamic } = definition
    const agents = dynamic.includes('agents')
      ? below(parts, (agent, key) => this.#standIn(agent, `agents.${key} of "${id}"`))
      : below(parts, (agent) => this.taken(agent.id) ?? agent)
    const { successors } = parts
    if (successors === undefined) return agents
    const standIns = Object.fromEntries(
      Object.entries(successors).map(([key, agent]) => [
        key,
        this.#standIn(agent, `handoffs.${key} of "${id}"`),
      ]),
    )
    return handingTo(agents, { agents: standIns, offered: describedBy(parts.toolset.successors, standIns) })
  }

  #isAskedFor(id: string): boolean {
    return this.#asked !== undefined && Object.hasOwn(this.#asked, id)
  }

  #standIn(agent: AgentDefinition, where: string): AgentDefinition {
    const { id, status, version } = agent
    const taken = this.taken(id)
    if (taken !== undefined && (taken === agent || this.#isAskedFor(id) || status === 'draft')) return taken
    if (taken === undefined && this.#all.get(id) === agent && status === 'published') return agent
    if (!this.#all.knows(agent)) {
      throw new ConfigurationError(
        `${where}: the agent "${id}" was made by a function and is not known to the troupe. Name that very agent in createTroupe({ agents }), so that its runs can be resumed.`,
      )
    }
    const given = `${where}: a function gives "${id}" in the version ${shownVersion(version)} (${status})`
    const instead = taken ?? this.#all.get(id)
    throw new ConfigurationError(
      instead === agent
        ? `${given}, and a draft is taken only when it is asked for: createTroupe({ agents, versions: { agents: { ${JSON.stringify(id)}: { status: 'draft' } } } }).`
        : `${given}, and the run takes ${shownVersion(instead?.version)}. Ask for the other in versions.agents.`,
    )
  }
}

/**
 * The registry of the run that began with `started`: its agents have the structure that the run has on record. Throws a
 * `ConfigurationError` for a version that is not here.
 */
export function registryOf(all: AgentRegistry, started: RunStarted): RunRegistry {
  const { agent, clientTools } = started
  const defined = registryToday(all, started)
  const today = clientTools === undefined ? defined : defined.withClientTools(agent, clientTools)
  return started.agents === undefined ? today : today.asRecorded(started.agents)
}

function registryToday(all: AgentRegistry, started: RunStarted): RunRegistry {
  const root = all.versionOf(started.agent, started.version)
  const { versions, versionOverrides } = started
  if (versions === undefined) {
    const seen = seenFrom(all, root)
    return new RunRegistry(all, seen, seen, versionOverrides)
  }
  const taken = new Map([[root.id, root]])
  for (const [id, version] of Object.entries(versions)) taken.set(id, all.versionOf(id, version ?? undefined))
  // An agent that did not exist when the run began is taken as it is; the loop then visits it in its turn.
  for (const agent of taken.values()) {
    for (const [, child] of childrenOf(agent)) if (!taken.has(child.id)) taken.set(child.id, child)
  }
  const standIn = (agent: AgentDefinition): AgentDefinition => taken.get(agent.id) ?? agent
  const seen = Array.from(
    taken,
    ([id, agent]) => [id, handingToStandIns(below(agent, standIn), standIn)] as const,
  )
  return new RunRegistry(all, taken, new Map(seen), versionOverrides)
}

/** For a run that recorded no versions: agents below the root are taken as they are defined. */
function seenFrom(all: AgentRegistry, root: AgentDefinition): Taken {
  if (!all.hasVersions) return nobody
  const seen = new Map<string, AgentDefinition>()
  const followed = new Set<AgentDefinition>()
  const add = (agent: AgentDefinition): void => {
    seen.set(agent.id, agent)
    if (followed.has(agent)) return // two may hand to each other
    followed.add(agent)
    childrenOf(agent).forEach(([, child]) => add(child))
  }
  add(root)
  return seen
}

/** The same parts, with each subagent replaced by its stand-in. */
function below<Parent extends AgentParts>(
  parent: Parent,
  standIn: (agent: AgentDefinition, key: string) => AgentDefinition,
): Parent {
  const entries = Object.entries(parent.agents)
  const agents = Object.fromEntries(entries.map(([key, agent]) => [key, standIn(agent, key)]))
  if (entries.every(([key, agent]) => agents[key] === agent)) return parent
  return changedAgent(parent, { agents, toolset: parent.toolset.withSubagents(subagentsOf(agents)) })
}

/** The same agent, with each successor described by its stand-in. */
function handingToStandIns(
  agent: AgentDefinition,
  standIn: (agent: AgentDefinition) => AgentDefinition,
): AgentDefinition {
  const entries = Object.entries(agent.handoffs?.agents() ?? {})
  if (entries.every(([, successor]) => standIn(successor) === successor)) return agent
  const successors = Object.fromEntries(entries.map(([key, successor]) => [key, standIn(successor)]))
  const { toolset } = agent
  return changedAgent(agent, { toolset: toolset.handingTo(describedBy(toolset.successors, successors)) })
}

/** The versions that `run.started` records. */
export function versionsOf({ version, versions }: RunStarted): Pick<RunStarted, 'version' | 'versions'> {
  return { ...(version === undefined ? {} : { version }), ...(versions === undefined ? {} : { versions }) }
}

export function shownVersion(version: string | undefined): string {
  return version === undefined ? 'none' : `"${version}"`
}
