/** `new Mastra`: agents that know each other's versions, and the storage of those that have none of their own. */
import { ConfigurationError, type Store, type VersionOverrides } from '../index.ts'
import {
  anObject,
  anything,
  aBoolean,
  type Fields,
  is,
  isObject,
  optional,
  readOptions,
} from '../kit/index.ts'
import type { Agent } from './agent.ts'
import type { LibSQLStore } from './libsql-store.ts'
import { aStorage } from './memory.ts'
import { isAgent, register } from './registration.ts'

/** The configuration of `new Mastra`. */
export interface MastraConfig {
  /** By their keys; an agent without an id takes its key. Default: none. */
  readonly agents?: Readonly<Record<string, Agent>>
  /** Of agents whose `Memory` has no storage. Default: in memory. */
  readonly storage?: LibSQLStore | Store
  /** The versions of agents that runs take; a run may select others. Default: the published ones. */
  readonly versions?: VersionOverrides
  /** Without effect: background tasks need no manager here. Default: none. */
  readonly backgroundTasks?: { readonly enabled?: boolean }
}

const fields: Fields<MastraConfig> = {
  agents: optional(anything),
  storage: optional(aStorage),
  versions: optional(is('{ agents: … }', isObject)),
  backgroundTasks: optional(anObject({ enabled: optional(aBoolean) })),
}

/**
 * Registers agents. Throws a `ConfigurationError` for an unknown option, and for a value that is no agent.
 * @experimental
 */
export class Mastra {
  readonly agents: Readonly<Record<string, Agent>>
  readonly storage: LibSQLStore | Store | undefined
  readonly versions: VersionOverrides | undefined

  constructor(config: MastraConfig = {}) {
    const { agents = {}, storage, versions } = readOptions(config, 'new Mastra', fields)
    if (!isObject(agents))
      throw new ConfigurationError('new Mastra: agents must be an object by the keys of agents.')
    this.agents = Object.freeze({ ...agents })
    this.storage = storage
    this.versions = versions
    for (const [key, agent] of Object.entries(this.agents)) {
      if (!isAgent(agent)) throw new ConfigurationError(`new Mastra: agents.${key} must be an Agent.`)
      register(agent, { mastra: this, key })
    }
  }

  /** Returns the agent of this key. Throws a `ConfigurationError` where there is none. */
  getAgent(key: string): Agent {
    const agent = Object.hasOwn(this.agents, key) ? this.agents[key] : undefined
    if (agent !== undefined) return agent
    throw new ConfigurationError(`Mastra: there is no agent ${JSON.stringify(key)}.`)
  }

  /** Returns the agent of this id. Throws a `ConfigurationError` where there is none. */
  getAgentById(id: string): Agent {
    const agent = Object.values(this.agents).find((one) => one.id === id)
    if (agent !== undefined) return agent
    throw new ConfigurationError(`Mastra: there is no agent with the id ${JSON.stringify(id)}.`)
  }
}
