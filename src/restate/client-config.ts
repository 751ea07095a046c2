/** What a client of agents on Restate is made of, checked. */
import { assertKnown } from '../actors/tool.ts'
import { ConfigurationError } from '../errors.ts'
import type { AgentDefinition } from '../runtime/definition.ts'
import type { AgentRegistry } from '../runtime/registry.ts'
import { selectedBy } from '../runtime/resolve-versions.ts'
import { assertOnError, reporterOf, type OnError, type Reporter } from '../runtime/report.ts'
import type { Store } from '../runtime/store.ts'
import { selectorsOf, type Selectors, type VersionOverrides } from '../runtime/versions.ts'
import type { DeltaSource } from './deltas.ts'
import { RunIngress, type IngressAddress } from './ingress.ts'
import { assertNamespace, defaultNamespace } from './names.ts'
import { registryOfAgents } from './validate-agents.ts'

export interface RestateTroupeConfig {
  /** Of Restate's ingress, for example `http://127.0.0.1:8080`. */
  readonly ingress: string | IngressAddress
  /** Of Restate's admin API, for `runs`: for example `http://127.0.0.1:9070`. */
  readonly admin?: string | IngressAddress
  /** As the workers have them. */
  readonly agents: readonly AgentDefinition[]
  /**
   * Which versions of agents the runs take that are started here, by their ids; a run may ask for others. A
   * `ConfigurationError` where there is no such agent or version. Default: of each agent the version that stands where a
   * run comes to it, if it is published.
   */
  readonly versions?: VersionOverrides
  /** As the workers have it. Default: `troupe`. */
  readonly namespace?: string
  /** That of the workers, for `memory` and `config`. Default: none, and the client has neither. */
  readonly store?: Pick<Store, 'memory' | 'config'>
  /** Milliseconds between two looks at a run that is watched; subagents that are quiet are left out of some. Default: 100. */
  readonly pollInterval?: number
  /** Where what models stream comes from. Default: nowhere, and messages come whole. */
  readonly deltas?: DeltaSource
  /** Receives each error that no caller receives, once. Default: one `console.warn` each. */
  readonly onError?: OnError
}

const configNames = [
  'ingress',
  'admin',
  'agents',
  'versions',
  'namespace',
  'store',
  'pollInterval',
  'deltas',
  'onError',
] as const satisfies readonly (keyof RestateTroupeConfig)[]

export interface ClientSettings {
  readonly registry: AgentRegistry
  /** Versions that runs take unless they ask for others. */
  readonly selectors: Selectors
  readonly namespace: string
  readonly ingress: RunIngress
  readonly admin: IngressAddress | undefined
  readonly pollInterval: number
  readonly deltas: DeltaSource | undefined
  readonly report: Reporter
}

/** Throws a `ConfigurationError` when two different agents share an id, or an option is wrong. */
export function clientSettings(config: RestateTroupeConfig, where: string): ClientSettings {
  const registry = registryOfAgents(config?.agents, where)
  assertKnown(config, where, configNames)
  const { namespace = defaultNamespace, pollInterval = 100, deltas } = config
  assertOnError(config.onError, where)
  assertNamespace(namespace, where)
  if (!(Number.isFinite(pollInterval) && pollInterval > 0)) {
    throw new ConfigurationError(
      `${where}: pollInterval must be a positive number of milliseconds, not ${String(pollInterval)}.`,
    )
  }
  const selectors = selectorsOf(config.versions, `${where}: versions`)
  selectedBy(registry, selectors, where)
  return {
    registry,
    selectors,
    namespace,
    ingress: new RunIngress(addressOf(config.ingress, `${where}: ingress`), namespace),
    admin: config.admin === undefined ? undefined : addressOf(config.admin, `${where}: admin`),
    pollInterval,
    deltas,
    report: reporterOf(config.onError),
  }
}

function addressOf(address: unknown, what: string): IngressAddress {
  const given = typeof address === 'string' ? { url: address } : (address as IngressAddress | undefined)
  if (typeof given?.url === 'string' && URL.canParse(given.url)) return given
  throw new ConfigurationError(`${what} must be an address, for example "http://127.0.0.1:8080".`)
}
