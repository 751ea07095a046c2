/** What a client of agents on Restate is made of, checked. */
import {
  aFunction,
  anything,
  aText,
  either,
  having,
  milliseconds,
  recordOf,
} from '../../actors/strict/checks.ts'
import {
  anObject,
  defaultsOf,
  optional,
  readOptions,
  required,
  withDefault,
  type Fields,
} from '../../actors/strict/read-options.ts'
import { ConfigurationError } from '../../errors.ts'
import type { AgentDefinition } from '../../runtime/definition/definition.ts'
import type { AgentRegistry } from '../../runtime/definition/registry.ts'
import { selectedBy } from '../../runtime/agents/resolve-versions.ts'
import { reporterOf, type OnError, type Reporter } from '../../runtime/report.ts'
import type { Store } from '../../runtime/journal/store.ts'
import {
  readVersions,
  selectorsOf,
  type Selectors,
  type VersionOverrides,
} from '../../runtime/options/version-selectors.ts'
import type { DeltaSource } from '../deltas/deltas.ts'
import { RunIngress, type IngressAddress } from './ingress.ts'
import { aNamespace, defaultNamespace } from '../wire/addresses.ts'
import { registryOfAgents, sharedStore } from '../wire/validate-agents.ts'

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

/** An address is a URL, or one with headers. */
const addressFields: Fields<IngressAddress> = { url: required(aUrl), headers: optional(recordOf(aText)) }

const address = either(
  (given) => typeof given === 'string',
  (url, where) => ({ url: aUrl(url, where) }),
  anObject(addressFields, { expected: 'an address, for example "http://127.0.0.1:8080"' }),
)

const fields = {
  ingress: required(address),
  admin: optional(address),
  agents: required(anything),
  versions: optional(readVersions),
  namespace: withDefault(aNamespace, defaultNamespace),
  store: optional(sharedStore),
  pollInterval: withDefault(milliseconds, 100),
  deltas: optional(having('a source of deltas', 'subscribe')),
  onError: optional(aFunction),
} satisfies Fields<RestateTroupeConfig>

type ReadConfig = Omit<RestateTroupeConfig, 'ingress' | 'admin'> & {
  readonly ingress: IngressAddress
  readonly admin?: IngressAddress
}

export interface ClientSettings {
  readonly store: RestateTroupeConfig['store']
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
  const read = { ...defaultsOf(fields), ...readOptions<ReadConfig>(config, where, fields) }
  const { namespace, pollInterval, deltas, ingress, admin } = read
  const registry = registryOfAgents(read.agents, where)
  const selectors = selectorsOf(read.versions, `${where}: versions`)
  selectedBy(registry, selectors, where)
  return {
    registry,
    selectors,
    namespace,
    ingress: new RunIngress(ingress, namespace),
    admin,
    pollInterval,
    deltas,
    store: read.store,
    report: reporterOf(read.onError),
  }
}

/** Nothing of it is shown: it may hold a password. */
function aUrl(given: unknown, where: string): string {
  if (typeof given === 'string' && URL.canParse(given)) return given
  throw new ConfigurationError(`${where} must be an address, for example "http://127.0.0.1:8080".`)
}
