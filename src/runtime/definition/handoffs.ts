/** The handoff options of a definition: the possible successors, and the messages that they receive. */
import { isRecord } from '../../actors/values/json.ts'
import { once } from '../../actors/values/once.ts'
import { handoffPrefix, type Subagent } from '../../actors/toolset.ts'
import { ConfigurationError } from '../../errors.ts'
import type { HandoffProfile } from '../../machines/contract/profile.ts'
import type { HandoffFilter } from '../options/options.ts'
import { checkAgent, introduced } from './parts.ts'
import type { AgentDefinition, AgentParts, Handoffs, RunContext } from './definition.ts'

/** Agents, each under its id, or under names of their own. */
export type HandoffAgents = readonly AgentDefinition[] | Readonly<Record<string, AgentDefinition>>

/** The options of an agent that may hand its conversation to others. `Context`: the context of the run. */
export interface HandoffOptions<Context = never> {
  /**
   * Agents that may go on with the conversation in place of this one; the model sees each as the tool
   * `transfer-to-<key>`. A function with a parameter is a function of the run, as for `agents`. A function without one is
   * called when the agent is first used, so that two agents can name each other.
   */
  readonly handoffs?: HandoffAgents | ((run: RunContext<Context>) => HandoffAgents | Promise<HandoffAgents>)
  /** How many handoffs may follow one another, from the first agent on. Default: 5. */
  readonly maxHandoffs?: number
}

type Given = { readonly [Name in keyof HandoffOptions]: HandoffOptions[Name] | undefined }
type OfRun = Extract<HandoffOptions['handoffs'], (...run: never[]) => unknown>

/** The handoffs of one definition. */
class DefinedHandoffs implements Handoffs {
  readonly max: number | undefined
  readonly ofRun: Handoffs['ofRun']
  readonly #given: NonNullable<HandoffOptions['handoffs']>
  readonly #from: string
  readonly #where: string
  #agents: Readonly<Record<string, AgentDefinition>> | undefined

  constructor(from: string, options: Given, where: string) {
    this.max = options.maxHandoffs
    const handoffs = options.handoffs ?? []
    this.#given = isOfRun(handoffs) ? [] : handoffs
    this.ofRun = isOfRun(handoffs) ? async (run) => this.#checked(await handoffs(run as never)) : undefined
    this.#from = from
    this.#where = where
    if (typeof this.#given !== 'function') this.agents()
  }

  get known(): readonly AgentDefinition[] {
    return Object.values(this.#agents ?? {})
  }

  agents(): Readonly<Record<string, AgentDefinition>> {
    this.#agents ??= this.#checked(typeof this.#given === 'function' ? this.#given({} as never) : this.#given)
    return this.#agents
  }

  #checked(agents: unknown): Readonly<Record<string, AgentDefinition>> {
    return checked(entriesOf(agents, this.#where), this.#from, this.#where)
  }

  offered(): Readonly<Record<string, Subagent>> {
    return introduced(this.agents())
  }

  get profile(): HandoffProfile {
    return { max: this.max }
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
export function handoffsOf(
  id: string,
  options: Given,
  filter: HandoffFilter | undefined,
  where: string,
): Handoffs | undefined {
  const { handoffs, maxHandoffs } = options
  if (handoffs !== undefined) return new DefinedHandoffs(id, options, where)
  if (maxHandoffs === undefined && filter === undefined) return undefined
  throw new ConfigurationError(`${where}: maxHandoffs and handoffFilter mean nothing without handoffs.`)
}

/** A function that takes the run names the agents of each run. */
function isOfRun(handoffs: NonNullable<Given['handoffs']>): handoffs is OfRun {
  return typeof handoffs === 'function' && handoffs.length > 0
}

function entriesOf(agents: unknown, where: string): (readonly [string, AgentDefinition])[] {
  if (Array.isArray(agents)) {
    return (agents as readonly AgentDefinition[]).map((agent, index) => [idOf(agent, index), agent])
  }
  if (agents instanceof Promise) {
    throw new ConfigurationError(
      `${where}: a function without a parameter names the agents of handoffs at once. One that takes the run, ({ context, runId }) => …, may answer with a promise.`,
    )
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
