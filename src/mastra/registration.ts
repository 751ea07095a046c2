/** What is known of agents beside their configuration: how each is defined where it stands, and the `Mastra` that has it. */
import type { AgentDefinition, Store, SupervisorConfig, VersionOverrides } from '../index.ts'
import type { LibSQLStore } from './libsql-store.ts'

/** An agent of this module. */
export interface AnAgent {
  readonly id: string | undefined
  definition(): Promise<AgentDefinition>
}

/** Subagents by their keys; an agent of `troupe` may stand among them. */
export type AgentsOfRecord = Readonly<Record<string, AnAgent | AgentDefinition>>

/** Where an agent stands: what it takes from there if it has none of its own. */
export interface Place {
  readonly key?: string
  readonly model?: SupervisorConfig['model']
}

/** A `Mastra`, as far as its agents need it. */
export interface Registry {
  readonly agents: Readonly<Record<string, AnAgent>>
  readonly storage: LibSQLStore | Store | undefined
  readonly versions: VersionOverrides | undefined
}

interface Registration {
  readonly mastra: Registry
  readonly key: string
}

interface Known {
  readonly hasModel: boolean
  readonly definitionIn: (place: Place) => Promise<AgentDefinition>
}

const known = new WeakMap<object, Known>()
const registrations = new WeakMap<object, Registration>()

export function introduce(agent: AnAgent, how: Known): void {
  known.set(agent, how)
}

export function hasModel(agent: AnAgent): boolean {
  return known.get(agent)?.hasModel === true
}

/** The definition of an agent where it stands; that of an agent of `troupe` is the same everywhere. */
export async function definitionIn(agent: AnAgent | AgentDefinition, place: Place): Promise<AgentDefinition> {
  return known.get(agent)?.definitionIn(place) ?? (agent as AgentDefinition)
}

export function isAgent(given: unknown): given is AnAgent {
  return typeof given === 'object' && given !== null && known.has(given)
}

export function register(agent: AnAgent, registration: Registration): void {
  registrations.set(agent, registration)
}

export function registrationOf(agent: AnAgent): Registration | undefined {
  return registrations.get(agent)
}
