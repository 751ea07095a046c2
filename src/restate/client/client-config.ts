/** Reads and checks the options of a client of agents on Restate. */
import { aFunction, aText, either, having, milliseconds, recordOf } from '../../actors/strict/checks.ts'
import type { Hint } from '../../actors/strict/plain-name.ts'
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
import { someAgents, type GivenAgents } from '../../runtime/definition/agents-given.ts'
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
import type { RestateSealing } from '../wire/sealing.ts'
import { registryOfAgents, sharedStore } from '../wire/validate-agents.ts'

/** The configuration of `restateTroupe`. */
export interface RestateTroupeConfig {
  /** The address of Restate's ingress, for example `http://127.0.0.1:8080`. */
  readonly ingress: string | IngressAddress
  /** The address of Restate's admin API, for `runs`, `awaiting` and `delete`: for example `http://127.0.0.1:9070`. */
  readonly admin?: string | IngressAddress
  /** The agents, as the workers have them. */
  readonly agents: GivenAgents
  /**
   * The versions of agents that the runs started here take, by agent id; a run may select others. A
   * `ConfigurationError` where there is no such agent or version. Default: of each agent the version in the definition
   * that the run reaches, if it is published.
   */
  readonly versions?: VersionOverrides
  /** The namespace of the workers. Default: `troupe`. */
  readonly namespace?: string
  /** The store of the workers, for `memory` and `config`. Default: none, and the client has neither. */
  readonly store?: Pick<Store, 'memory' | 'config' | 'blobs'>
  /** As `sealing` of the workers. Default: payloads are clear. */
  readonly sealing?: RestateSealing
  /**
   * Milliseconds between two polls of a run that is watched; some polls skip subagents that are quiet. Default: 100.
   */
  readonly pollInterval?: number
  /** The source of the deltas that models stream. Default: none, and messages arrive complete. */
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
  agents: required(someAgents),
  versions: optional(readVersions),
  namespace: withDefault(aNamespace, defaultNamespace),
  store: optional(sharedStore),
  sealing: optional(having('what restateSealing() makes', 'seal', 'open', 'nameOf', 'idOf')),
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
  /** Versions that runs take unless they select others. */
  readonly selectors: Selectors
  readonly namespace: string
  readonly ingress: RunIngress
  readonly admin: IngressAddress | undefined
  readonly sealing: RestateSealing | undefined
  readonly pollInterval: number
  readonly deltas: DeltaSource | undefined
  readonly report: Reporter
}

/** Throws a `ConfigurationError` when two different agents share an id, or an option is wrong. */
export function clientSettings(config: RestateTroupeConfig, where: string): ClientSettings {
  const read = { ...defaultsOf(fields), ...readOptions<ReadConfig>(config, where, fields, notHere) }
  const { namespace, pollInterval, deltas, ingress, admin, sealing } = read
  const registry = registryOfAgents(read.agents, where)
  const selectors = selectorsOf(read.versions, `${where}: versions`)
  selectedBy(registry, selectors, where)
  return {
    registry,
    selectors,
    namespace,
    ingress: new RunIngress(ingress, namespace, sealing),
    admin,
    sealing,
    pollInterval,
    deltas,
    store: read.store,
    report: reporterOf(read.onError),
  }
}

/** Says of an option of `createTroupe` why it is none here. */
const notHere: Hint = (key) =>
  key === 'cron' ? 'a RestateTroupe has no schedules, and Restate sends to a handler later' : undefined

/** Checks an address. The error does not show it: it may hold a password. */
function aUrl(given: unknown, where: string): string {
  if (typeof given === 'string' && URL.canParse(given)) return given
  throw new ConfigurationError(`${where} must be an address, for example "http://127.0.0.1:8080".`)
}
