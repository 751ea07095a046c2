/** The handoff options of a definition: the possible successors, and the messages that they receive. */
import { handoffPrefix } from '../../actors/strict/ids.ts'
import { assertCheckable } from '../../actors/schemas/assert-checkable.ts'
import { jsonSchema } from '../../actors/schemas/json-schema.ts'
import { toJsonSchema } from '../../actors/schemas/to-json-schema.ts'
import { anything, aSchema } from '../../actors/strict/checks.ts'
import { isObject, optional, readOptions, required, show } from '../../actors/strict/read-options.ts'
import { isRecord } from '../../actors/values/json.ts'
import { once } from '../../actors/values/once.ts'
import type { Successor } from '../../actors/handoff-tools.ts'
import { ConfigurationError } from '../../errors.ts'
import { settled } from '../report.ts'
import type { HandoffProfile } from '../../machines/contract/profile.ts'
import type { AgentReference, HandoffOptions, HandoffTarget } from './handoff-options.ts'
import type { HandoffFilter } from '../options/options.ts'
import { checkAgent, introduced } from './parts.ts'
import type { AgentDefinition, AgentParts, Handoffs, HandoffTargets } from './definition.ts'

type Given = { readonly [Name in keyof HandoffOptions]: HandoffOptions[Name] | undefined }

/** The handoffs of one definition. */
class DefinedHandoffs implements Handoffs {
  readonly max: number | undefined
  readonly ofRun: Handoffs['ofRun']
  readonly #given: unknown
  readonly #keep: boolean
  readonly #from: string
  readonly #where: string
  #targets: HandoffTargets | undefined

  constructor(from: string, options: Given, where: string) {
    this.max = options.maxHandoffs
    this.#keep = options.keepHandoff === true
    const handoffs = options.handoffs ?? []
    const isOfRun = typeof handoffs === 'function'
    this.#given = isOfRun ? [] : handoffs
    this.ofRun = isOfRun
      ? async (run) => checkableInChart(this.#checked(await handoffs(run as never)), where)
      : undefined
    this.#from = from
    this.#where = where
    if (!namesLater(this.#given)) this.agents()
  }

  get known(): readonly AgentDefinition[] {
    return Object.values(this.#targets?.agents ?? {})
  }

  agents(): Readonly<Record<string, AgentDefinition>> {
    return this.#all().agents
  }

  offered(): Readonly<Record<string, Successor>> {
    return this.#all().offered
  }

  #all(): HandoffTargets {
    this.#targets ??= this.#checked(this.#given)
    return this.#targets
  }

  #checked(given: unknown): HandoffTargets {
    return checked(entriesOf(given, this.#where), this.#from, this.#where)
  }

  get profile(): HandoffProfile {
    return { max: this.max, ...(this.#keep ? { keep: true as const } : {}) }
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
  const { handoffs, maxHandoffs, keepHandoff } = options
  if (handoffs !== undefined) return new DefinedHandoffs(id, options, where)
  if (maxHandoffs === undefined && keepHandoff === undefined && filter === undefined) return undefined
  throw new ConfigurationError(
    `${where}: maxHandoffs, keepHandoff and handoffFilter mean nothing without handoffs.`,
  )
}

/** A function in the place of an agent names one that may not be defined yet. */
function namesLater(given: unknown): boolean {
  if (typeof given !== 'object' || given === null) return false
  const references: readonly Reference[] = Object.values(given)
  return references.some((one) => typeof (isTarget(one) ? one.agent : one) === 'function')
}

type Reference = AgentReference | HandoffTarget

/** A reference whose agent is known. */
interface KnownTarget extends HandoffTarget {
  readonly agent: AgentDefinition
}

type Target = AgentDefinition | KnownTarget

function entriesOf(targets: unknown, where: string): (readonly [string, Target])[] {
  if (Array.isArray(targets)) {
    return (targets as readonly Reference[]).map((reference, index) => {
      const target = named(reference, `handoffs[${index}]`, where)
      return [idOf(target, index), target]
    })
  }
  if (isRecord(targets)) {
    const references = Object.entries(targets as Readonly<Record<string, Reference>>)
    return references.map(([key, reference]) => [key, named(reference, `handoffs.${key}`, where)])
  }
  throw new ConfigurationError(`${where}: handoffs must be a list of agents, or an object of agents by name.`)
}

/** Calls the function that stands for an agent. */
function named(reference: Reference, place: string, where: string): Target {
  if (!isTarget(reference)) return known(reference, place, where)
  return { ...reference, agent: known(reference.agent, place, where) }
}

function known(reference: AgentReference, place: string, where: string): AgentDefinition {
  if (typeof reference !== 'function') return reference
  const agent = reference()
  settled(agent, () => undefined) // a promise is refused below, whatever comes of it
  if (isObject(agent) && 'settings' in agent) return agent
  throw new ConfigurationError(
    `${where}: ${place} is a function in the place of one agent, and must answer with an agent at once, not with ${show(agent)}. A function that depends on the run stands in the place of all: handoffs: ({ context }) => […].`,
  )
}

/** A value that is no agent is named by its position. */
function idOf(target: Target, index: number): string {
  const agent: Partial<AgentDefinition> | undefined = isTarget(target) ? target.agent : target
  return typeof agent?.id === 'string' ? agent.id : String(index)
}

function isTarget(target: Reference): target is HandoffTarget {
  return isRecord(target) && Object.hasOwn(target, 'agent')
}

const targetFields = { agent: required(anything), inputSchema: optional(aSchema) }

function checked(
  entries: readonly (readonly [string, Target])[],
  from: string,
  where: string,
): HandoffTargets {
  const ids = new Set<string>()
  const agents: Record<string, AgentDefinition> = {}
  const parameters: Record<string, Partial<Successor>> = {}
  for (const [key, target] of entries) {
    const place = `${where}: handoffs.${key}`
    const { agent, inputSchema } = isTarget(target)
      ? readOptions<KnownTarget>(target, place, targetFields)
      : { agent: target, inputSchema: undefined }
    checkAgent(key, agent, handoffPrefix, where)
    if (agent.id === from) {
      throw new ConfigurationError(`${where}: an agent cannot hand its conversation to itself.`)
    }
    if (agent.remote !== undefined) {
      throw new ConfigurationError(
        `${place}: a conversation cannot be handed to "${agent.id}", which another system serves. Make it a subagent.`,
      )
    }
    if (ids.has(agent.id)) {
      throw new ConfigurationError(`${where}: handoffs names the agent "${agent.id}" twice.`)
    }
    ids.add(agent.id)
    agents[key] = agent
    if (inputSchema !== undefined) {
      parameters[key] = { inputSchema, parameters: toJsonSchema(inputSchema, `${place}.inputSchema`) }
    }
  }
  const offered = Object.entries(introduced(agents)).map(([key, agent]): readonly [string, Successor] => [
    key,
    { ...agent, ...parameters[key] },
  ])
  return { agents, offered: Object.fromEntries(offered) }
}

/**
 * The chart of a run whose functions name the successors has only the JSON Schema of an input. Throws a
 * `ConfigurationError` for one that cannot be checked.
 */
function checkableInChart(targets: HandoffTargets, where: string): HandoffTargets {
  for (const [key, { parameters }] of Object.entries(targets.offered)) {
    if (parameters === undefined) continue
    assertCheckable(parameters, `${where}: handoffs.${key}.inputSchema`)
    jsonSchema(parameters)
  }
  return targets
}
