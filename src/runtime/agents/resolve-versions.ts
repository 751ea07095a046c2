/**
 * Resolves the version of each agent that a run takes, once, at its beginning: the one that the run selects, else the
 * one that the troupe selects, else the version at the place where the run comes to the agent, if that is published.
 */
import { ConfigurationError } from '../../errors.ts'
import type { AgentDefinition, AnyAgent } from '../definition/definition.ts'
import type { JournalEntry, RunStarted } from '../journal/journal.ts'
import { childrenOf, type AgentRegistry } from '../definition/registry.ts'
import { Program, recordedAgents } from '../program/program.ts'
import { hasStructure } from '../program/structure.ts'
import { registryOf, shownVersion } from './run-registry.ts'
import type { Selectors, VersionSelector } from '../options/version-selectors.ts'

/** The versions that a run records, and the agent that it begins with. */
export interface Resolution {
  readonly root: AgentDefinition
  readonly recorded: Pick<RunStarted, 'version' | 'versions' | 'versionOverrides'>
}

/** Throws a `ConfigurationError` for a selected version that is not here, and for a draft that no caller asked for. */
export function resolveVersions(
  registry: AgentRegistry,
  agent: AgentDefinition,
  selectors: Selectors,
  where: string,
): Resolution {
  if (registry.isPlain && Object.keys(selectors).length === 0) return { root: agent, recorded: {} }
  const asked = selectedBy(registry, selectors, where)
  return resolve(registry, agent, { selectors, where, pinned: (id) => asked.get(id) })
}

/**
 * Gives the journal of a run that takes other versions where `selectors` name them, and else those that it began with;
 * `others` selects the versions of agents that it did not come to.
 */
export function recast(
  registry: AgentRegistry,
  [started, ...entries]: readonly [RunStarted, ...JournalEntry[]],
  selectors: Selectors,
  others: Selectors,
): readonly JournalEntry[] {
  const where = 'fork: versions'
  const asked = selectedBy(registry, selectors, where)
  const fallbackVersions = selectedBy(registry, others, where)
  const seen = registryOf(registry, started)
  const { version: _version, versions: _versions, versionOverrides, agents: _agents, ...begun } = started
  const { recorded } = resolve(registry, registry.versionOf(started.agent, started.version), {
    selectors: { ...versionOverrides, ...selectors },
    where,
    pinned: (id) => asked.get(id) ?? seen.taken(id) ?? fallbackVersions.get(id),
  })
  const recast: RunStarted = { ...begun, ...recorded }
  const agents = recordedAgents(registryOf(registry, recast), recast.agent)
  return [{ ...recast, agents }, ...entries]
}

/**
 * Gives the journal of a fork whose agents have the structure of today. `before`: the agents that its run has on record; what
 * is said of them is what the entries were made with. Behind these an entry of the time `now` tells the edits: the fork asks
 * for them, and no program refuses them as drift.
 */
export function withStructureOfToday(
  registry: AgentRegistry,
  [started, ...entries]: readonly [RunStarted, ...JournalEntry[]],
  { before, now }: { readonly before: RunStarted['agents']; readonly now: number },
): readonly JournalEntry[] {
  if (before === undefined) return [started, ...entries]
  const { agents: _agents, ...begun } = started
  const today = registryOf(registry, begun)
  const agents = Object.fromEntries(
    Object.entries(recordedAgents(today, started.agent)).map(([id, agent]) => {
      const recorded = before[id]
      const definition = today.get(id)
      if (recorded === undefined || definition === undefined) return [id, agent]
      const isEdited = !hasStructure(definition, recorded.structure)
      const content = isEdited ? { ...recorded.content, structure: 'edited' } : recorded.content
      return [id, { ...agent, content }]
    }),
  )
  const first: RunStarted = { ...begun, agents }
  const program = new Program(registryOf(registry, first), first)
  for (const entry of entries) if (entry.type === 'program.drifted') program.drifted(entry)
  const { drift } = program
  return [first, ...entries, ...(drift ? [{ type: 'program.drifted' as const, at: now, ...drift }] : [])]
}

/** Throws a `ConfigurationError` that lists the agents, or the versions, that there are. */
export function selectedBy(
  registry: AgentRegistry,
  selectors: Selectors,
  where: string,
): ReadonlyMap<string, AgentDefinition> {
  return new Map(
    Object.entries(selectors).map(([id, selector]) => [id, select(registry, id, selector, where)]),
  )
}

function select(
  registry: AgentRegistry,
  id: string,
  { status, versionId }: VersionSelector,
  where: string,
): AgentDefinition {
  if (!registry.has(id)) {
    const known = [...registry.keys()].join(', ')
    throw new ConfigurationError(
      `${where}: versions names "${id}", and there is no such agent. There are: ${known}.`,
    )
  }
  const found =
    status === undefined
      ? registry.versionsOf(id).find(({ version }) => version === versionId)
      : registry.newest(id, status)
  if (found !== undefined) return found
  const missing = status === undefined ? `version "${versionId}"` : `${status} version`
  throw new ConfigurationError(`${where}: the agent "${id}" has no ${missing} here. ${listed(registry, id)}`)
}

interface Asked {
  readonly selectors: Selectors
  readonly where: string
  /** The version that was asked for. */
  readonly pinned: (id: string) => AgentDefinition | undefined
}

function resolve(registry: AgentRegistry, agent: AgentDefinition, asked: Asked): Resolution {
  const { selectors, pinned, where } = asked
  // A caller that passes a definition itself has asked for it, draft or not.
  const root = pinned(agent.id) ?? agent
  const taken = new Map([[root.id, root]])
  const visit = (parent: AgentDefinition): void => {
    for (const [name, child] of childrenOf(parent)) {
      const chosen = pinned(child.id) ?? publishedOf(registry, child, where)
      const known = taken.get(chosen.id)
      assertDescribed(chosen, `${where}: ${name} of "${parent.id}"`)
      if (known === undefined) {
        taken.set(chosen.id, chosen)
        visit(chosen)
      } else if (known !== chosen) throw twoVersions(known, chosen, where)
    }
  }
  visit(root)
  if ([...taken.values()].some(({ dynamic }) => dynamic.includes('agents') || dynamic.includes('handoffs')))
    takeOthers(registry, taken, pinned)
  taken.delete(root.id)
  return { root, recorded: recordOf(registry, root, taken, selectors) }
}

/** A draft gives way to the newest published version. */
function publishedOf(registry: AgentRegistry, agent: AgentDefinition, where: string): AgentDefinition {
  if (agent.status === 'published') return agent
  const published = registry.newest(agent.id, 'published')
  if (published !== undefined) return published
  throw new ConfigurationError(
    `${where}: the agent "${agent.id}" is not published, and a draft is taken only when it is asked for: versions: { agents: { ${JSON.stringify(agent.id)}: { status: 'draft' } } }. ${listed(registry, agent.id)}`,
  )
}

/** A function of the run may come to any agent of the troupe. */
function takeOthers(
  registry: AgentRegistry,
  taken: Map<string, AgentDefinition>,
  pinned: Asked['pinned'],
): void {
  for (const id of registry.keys()) {
    const other = pinned(id) ?? registry.newest(id, 'published')
    if (other !== undefined && !taken.has(id)) taken.set(id, other)
  }
}

function recordOf(
  registry: AgentRegistry,
  root: AgentDefinition,
  below: ReadonlyMap<string, AgentDefinition>,
  selectors: Selectors,
): Resolution['recorded'] {
  const hasChoice = [...below].some(
    ([id, { version }]) => version !== undefined || registry.versionsOf(id).length > 1,
  )
  const versions = Object.fromEntries(Array.from(below, ([id, { version }]) => [id, version ?? null]))
  return {
    ...(root.version === undefined ? {} : { version: root.version }),
    ...(hasChoice ? { versions } : {}),
    ...(Object.keys(selectors).length === 0 ? {} : { versionOverrides: selectors }),
  }
}

function twoVersions(one: AgentDefinition, other: AgentDefinition, where: string): ConfigurationError {
  return new ConfigurationError(
    `${where}: the run comes to the agent "${one.id}" in two versions, ${shownVersion(one.version)} and ${shownVersion(other.version)}, and a run has one of each agent. Say which: versions: { agents: { ${JSON.stringify(one.id)}: … } }.`,
  )
}

function assertDescribed({ id, version, description = '' }: AnyAgent, where: string): void {
  if (description.trim() !== '') return
  throw new ConfigurationError(
    `${where}: the version ${shownVersion(version)} of "${id}" has no description; a supervisor chooses its subagents by it.`,
  )
}

function listed(registry: AgentRegistry, id: string): string {
  const versions = registry.versionsOf(id)
  return `There are: ${versions.map(({ version, status }) => `${shownVersion(version)} (${status})`).join(', ')}.`
}
