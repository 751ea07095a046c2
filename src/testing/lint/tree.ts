/**
 * The tree of agents as runs reach it: every agent at each of its places, with the profile that it has there. Caps and
 * groups of tools are those that the runtime derives, by the same functions.
 */
import type { Tool } from '../../actors/tool.ts'
import { ConfigurationError } from '../../errors.ts'
import type { AgentProfile, AgentRequest } from '../../machines/contract/agent.ts'
import type { DynamicPart } from '../../machines/contract/profile.ts'
import { registryOf, type RunRegistry } from '../../runtime/agents/run-registry.ts'
import { resolveVersions } from '../../runtime/agents/resolve-versions.ts'
import type { AgentDefinition } from '../../runtime/definition/definition.ts'
import { createRegistry } from '../../runtime/definition/registry.ts'
import { readCall } from '../../runtime/definition/validate-options.ts'
import { prepareAgent, rootRequest } from '../../runtime/state/prepare.ts'
import { protocolVersion, type RunStarted } from '../../runtime/journal/journal.ts'
import { optionTable, type AnyOptions } from '../../runtime/options/option-table.ts'
import { settingsOf, type RunSettings } from '../../runtime/options/settings.ts'
import { selectorsOf } from '../../runtime/options/version-selectors.ts'

/** An agent at one place of the tree. */
export interface Place {
  /** The id of the root, then keys: `lead.agents.writer`. */
  readonly path: string
  readonly definition: AgentDefinition
  readonly profile: AgentProfile
  /** Model calls that it may make as steps. */
  readonly maxSteps: number
  /** 0 for the root. */
  readonly depth: number
  /** The options that are given here: those of the definition, at the root under those of the run. */
  readonly options: AnyOptions
  readonly settings: RunSettings
  /** The agents to which it may delegate, by their keys, as far as `maxDepth` lets them run. */
  readonly subagents: ReadonlyMap<string, Line>
  /** The keys of subagents that `maxDepth` never lets run. */
  readonly tooDeep: readonly string[]
  /** The number of handoffs from the first agent of its line. */
  readonly handoffs: number
}

/** An agent, and those that may go on with its conversation: the first is at work first. */
export interface Line {
  readonly members: readonly [Place, ...Place[]]
  /** How many handoffs may follow one another. */
  readonly maxHandoffs: number
}

export interface AgentTree {
  readonly root: Place
  readonly line: Line
  /** Every place once, the root first. */
  readonly places: readonly Place[]
  /** The places of each agent. */
  readonly byAgent: readonly (readonly [Place, ...Place[]])[]
}

export type TreeReading =
  { readonly ok: true; readonly tree: AgentTree } | { readonly ok: false; readonly problem: string }

/** Reads the tree below `agent`. A run that is refused has no tree, but a problem. */
export function readTree(agent: AgentDefinition, run: object = {}): TreeReading {
  try {
    return { ok: true, tree: treeOf(agent, run) }
  } catch (error) {
    if (error instanceof ConfigurationError) return { ok: false, problem: error.message }
    throw error
  }
}

/** As `readTree`; throws the `ConfigurationError` of a run that is refused. */
export function treeOf(agent: AgentDefinition, run: object = {}): AgentTree {
  const where = `options of a run of "${agent.id}"`
  const { versions, ...options } = readCall(run, where, agent.pattern)
  const registry = createRegistry([agent])
  const { root, recorded } = resolveVersions(registry, agent, selectorsOf(versions, where), where)
  const settings = { ...settingsOf(options), ...instructionsOf(options) }
  const started: RunStarted = {
    type: 'run.started',
    at: 0,
    protocol: protocolVersion,
    runId: 'run',
    agent: root.id,
    ...recorded,
    task: 'task',
    history: [],
    settings: { ...settings, maxToolCallsPerStep: callCapOf(settings, root) },
    stream: false,
    resourceId: 'resource',
  }
  return new TreeReader(registryOf(registry, started), started, { options, settings }).read(root)
}

function instructionsOf({ instructions }: { readonly instructions?: string }): { instructions?: string } {
  return instructions === undefined ? {} : { instructions }
}

function callCapOf(settings: RunSettings, root: AgentDefinition): number {
  const { maxToolCallsPerStep = root.settings.maxToolCallsPerStep } = settings
  return maxToolCallsPerStep ?? optionTable.maxToolCallsPerStep.default
}

interface Given {
  readonly options: AnyOptions
  readonly settings: RunSettings
}

class TreeReader {
  readonly #registry: RunRegistry
  readonly #started: RunStarted
  readonly #given: Given
  readonly #lines = new Map<string, Line>()
  readonly #places: Place[] = []

  constructor(registry: RunRegistry, started: RunStarted, given: Given) {
    this.#registry = registry
    this.#started = started
    this.#given = given
  }

  read(agent: AgentDefinition): AgentTree {
    const line = this.#line(this.#registry.get(agent.id) ?? agent, rootRequest(this.#started), agent.id)
    const [root] = line.members
    const places = this.#places.toSorted((a, b) => a.depth - b.depth || a.handoffs - b.handoffs)
    const groups = Map.groupBy(places, ({ definition }) => definition).values()
    const byAgent = [...groups].filter((group): group is [Place, ...Place[]] => group.length > 0)
    return { root, line, places, byAgent }
  }

  /** One line for all places where its first agent has the same depth and the same limits. */
  #line(agent: AgentDefinition, request: AgentRequest, path: string): Line {
    const { depth, maxDepth, toolGroups, settings } = request
    const key = JSON.stringify([agent.id, depth, maxDepth, toolGroups, settings])
    const known = this.#lines.get(key)
    if (known !== undefined) return known
    const first = this.#place(agent, request, path, 0)
    const maxHandoffs = first.profile.handoffs?.max ?? defaultHandoffs
    const members: [Place, ...Place[]] = [first]
    const line = { members, maxHandoffs }
    this.#lines.set(key, line)
    for (const member of members) {
      for (const [key, successor] of Object.entries(member.definition.handoffs?.agents() ?? {})) {
        const taken = this.#registry.get(successor.id) ?? successor
        if (members.some(({ definition }) => definition === taken)) continue
        const handoffs = member.handoffs + 1
        const to = successorOf(request, member, handoffs, maxHandoffs)
        members.push(
          this.#place(taken, { ...to, agent: taken.id }, `${member.path}.handoffs.${key}`, handoffs),
        )
      }
    }
    return line
  }

  #place(definition: AgentDefinition, request: AgentRequest, path: string, handoffs: number): Place {
    const { input } = prepareAgent(definition, request, this.#started.settings)
    const { profile, depth, maxSteps } = input
    const isRoot = depth === 0 && handoffs === 0
    const { options, settings } = this.#given
    const subagents = new Map<string, Line>()
    const keys = Object.keys(definition.agents)
    const isTooDeep = depth + 1 > profile.maxDepth
    const place: Place = {
      path,
      definition,
      profile,
      maxSteps,
      depth,
      options: isRoot ? { ...definition.options, ...options } : definition.options,
      settings: isRoot ? overridden(definition.settings, settings) : definition.settings,
      subagents,
      tooDeep: isTooDeep ? keys : [],
      handoffs,
    }
    this.#places.push(place)
    for (const [key, agent] of isTooDeep ? [] : Object.entries(definition.agents)) {
      const taken = this.#registry.get(agent.id) ?? agent
      subagents.set(key, this.#line(taken, delegated(request, profile, taken, key), `${path}.agents.${key}`))
    }
    return place
  }
}

/** The caps of a run override those of its agent one by one. */
function overridden(own: RunSettings, given: RunSettings): RunSettings {
  return { ...own, ...given, caps: { ...own.caps, ...given.caps } }
}

/** The default of `maxHandoffs`. */
const defaultHandoffs = 5

/** The request of a delegation, as far as it decides about limits. */
function delegated(
  request: AgentRequest,
  { maxDepth, route, toolGroups }: AgentProfile,
  to: AgentDefinition,
  key: string,
): AgentRequest {
  const { maxDepth: _cap, toolGroups: _groups, line: _line, settings: _own, ...rest } = request
  const settings = route?.patterns.find(({ name }) => name === key)?.settings
  return {
    ...rest,
    agent: to.id,
    depth: request.depth + 1,
    maxDepth,
    ...(toolGroups === undefined ? {} : { toolGroups }),
    ...(settings === undefined ? {} : { settings }),
  }
}

/** The request of a successor, as far as it decides about limits. */
function successorOf(
  first: AgentRequest,
  { profile }: Place,
  handoffs: number,
  maxHandoffs: number,
): AgentRequest {
  const { toolGroups: _groups, settings: _ofFirst, ...rest } = first
  const { toolGroups, maxDepth, responseFormat: format, id: agent } = profile
  const shape = format === undefined ? {} : { shape: { format, scope: 'agent', agent } as const }
  return {
    ...rest,
    maxDepth,
    ...(toolGroups === undefined ? {} : { toolGroups }),
    line: { handoffs, maxHandoffs, notice: 'notice', ...shape },
  }
}

/** Whether functions of the run make these parts, so that the definition does not show them. */
export function isDynamic({ definition }: Place, ...parts: DynamicPart[]): boolean {
  return parts.some((part) => definition.dynamic.includes(part))
}

/** All tools of an agent by the names that its model sees, whether or not they are on offer. */
export function toolsOf({ definition }: Place): readonly (readonly [string, Tool])[] {
  return Object.entries(definition.tools)
}

/** Whether the agent has anything to call: tools, subagents or successors. */
export function hasCalls(place: Place): boolean {
  return (
    place.profile.toolset.whole.descriptions.length > 0 || isDynamic(place, 'tools', 'workflows', 'agents')
  )
}
