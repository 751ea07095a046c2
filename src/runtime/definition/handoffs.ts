/** The handoff options of a definition: the possible successors, and the messages that they receive. */
import { isRecord } from '../../actors/values/json.ts'
import { once } from '../../actors/values/once.ts'
import { handoffPrefix, type Subagent } from '../../actors/toolset.ts'
import { ConfigurationError } from '../../errors.ts'
import type { HandoffProfile } from '../../machines/contract/profile.ts'
import { checkAgent, introduced } from './parts.ts'
import type { AgentDefinition, AgentParts, Handoffs } from './definition.ts'
import type { HandoffFilter } from '../options/options.ts'

/** Agents, each under its id, or under names of their own. */
export type HandoffAgents = readonly AgentDefinition[] | Readonly<Record<string, AgentDefinition>>

/** The options of an agent that may hand its conversation to others. */
export interface HandoffOptions {
  /**
   * Agents that may go on with the conversation in place of this one; the model sees each as the tool
   * `transfer-to-<key>`. A function is called when the agent is first used, so that two agents can name each other.
   */
  readonly handoffs?: HandoffAgents | (() => HandoffAgents)
  /** How many handoffs may follow one another, from the first agent on. Default: 5. */
  readonly maxHandoffs?: number
  /** Chooses the successor's part of the conversation. Default: all of it, at most `delegation.maxMessages`. */
  readonly handoffFilter?: HandoffFilter
}

type Given = { readonly [Name in keyof HandoffOptions]: HandoffOptions[Name] | undefined }

/** The handoffs of one definition. */
class DefinedHandoffs implements Handoffs {
  readonly max: number | undefined
  readonly filter: HandoffFilter | undefined
  readonly #given: NonNullable<HandoffOptions['handoffs']>
  readonly #from: string
  readonly #where: string
  #agents: Readonly<Record<string, AgentDefinition>> | undefined

  constructor(from: string, options: Given, where: string) {
    this.max = options.maxHandoffs
    this.filter = options.handoffFilter
    this.#given = options.handoffs ?? []
    this.#from = from
    this.#where = where
    if (typeof this.#given !== 'function') this.agents()
  }

  get known(): readonly AgentDefinition[] {
    return Object.values(this.#agents ?? {})
  }

  agents(): Readonly<Record<string, AgentDefinition>> {
    this.#agents ??= checked(entriesOf(this.#given, this.#where), this.#from, this.#where)
    return this.#agents
  }

  offered(): Readonly<Record<string, Subagent>> {
    return introduced(this.agents())
  }

  get profile(): HandoffProfile {
    return { max: this.max, isFiltered: this.filter !== undefined }
  }
}

/**
 * The same parts, with a toolset extended by the handoffs: when it is first read, since agents that hand to each other
 * are not all defined before.
 */
export function offering<Given extends AgentParts>(parts: Given, handoffs: Handoffs | undefined): Given {
  if (handoffs === undefined) return parts
  const { toolset } = parts
  const get = once(() => toolset.handingTo(handoffs.offered()))
  return Object.defineProperty(parts, 'toolset', { get, enumerable: true })
}

/** `undefined` where the agent has no handoffs. Throws a `ConfigurationError`. */
export function handoffsOf(id: string, options: Given, where: string): Handoffs | undefined {
  const { handoffs, maxHandoffs, handoffFilter } = options
  if (handoffs !== undefined) return new DefinedHandoffs(id, options, where)
  if (maxHandoffs === undefined && handoffFilter === undefined) return undefined
  throw new ConfigurationError(`${where}: maxHandoffs and handoffFilter mean nothing without handoffs.`)
}

function entriesOf(
  given: NonNullable<HandoffOptions['handoffs']>,
  where: string,
): (readonly [string, AgentDefinition])[] {
  const agents: unknown = typeof given === 'function' ? given() : given
  if (Array.isArray(agents)) {
    return (agents as readonly AgentDefinition[]).map((agent, index) => [idOf(agent, index), agent])
  }
  if (isRecord(agents)) return Object.entries(agents as Readonly<Record<string, AgentDefinition>>)
  throw new ConfigurationError(`${where}: handoffs must be a list of agents, or an object of agents by name.`)
}

/** A value that is no agent is named by its position. */
function idOf(agent: Partial<AgentDefinition> | undefined, index: number): string {
  return typeof agent?.id === 'string' ? agent.id : String(index)
}

function checked(
  entries: readonly (readonly [string, AgentDefinition])[],
  from: string,
  where: string,
): Readonly<Record<string, AgentDefinition>> {
  const ids = new Set<string>()
  for (const [key, agent] of entries) {
    checkAgent(key, agent, handoffPrefix, where)
    if (agent.id === from) {
      throw new ConfigurationError(`${where}: an agent cannot hand its conversation to itself.`)
    }
    if (ids.has(agent.id)) {
      throw new ConfigurationError(`${where}: handoffs names the agent "${agent.id}" twice.`)
    }
    ids.add(agent.id)
  }
  return Object.fromEntries(entries)
}
