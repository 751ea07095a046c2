/** The options of a troupe. */
import type { InspectionEvent } from 'xstate'
import {
  aBoolean,
  aFunction,
  either,
  having,
  is,
  listOf,
  milliseconds,
  oneOf,
} from '../../actors/strict/checks.ts'
import { anyHint } from '../../actors/strict/hints.ts'
import {
  anObject,
  optional,
  readOptions,
  required,
  withDefault,
  type Fields,
} from '../../actors/strict/read-options.ts'
import { isRecord } from '../../actors/values/json.ts'
import type { InterpreterName } from '../interpreter/interpreter.ts'
import type { AroundOption, Observer } from '../engine/around/observer.ts'
import type { Clock } from '../clock.ts'
import { ConfigurationError } from '../../errors.ts'
import { isAgent, someAgents, type GivenAgents } from '../definition/agents-given.ts'
import type { AgentDefinition } from '../definition/definition.ts'
import type { OnError } from '../report.ts'
import type { Store } from '../journal/store.ts'
import { driftChoices, type OnDrift } from '../program/recorded.ts'
import { tenantFields, type TenantOptions } from '../tenants/tenant-options.ts'
import type { CronCalendar } from '../schedules/time-plan.ts'
import { retentionFields, type Retention } from './retention.ts'
import { readVersions, type VersionOverrides } from '../options/version-selectors.ts'

/** The configuration of `createTroupe`. */
export interface TroupeConfig {
  /** The agents that runs may start with, as a list or by their ids; their subagents come along. */
  readonly agents: GivenAgents
  /**
   * The versions of agents that runs take, by agent id; a run may select others. A `ConfigurationError` where there is
   * no such agent or version. Default: of each agent the version in the definition that the run reaches, if it is
   * published.
   */
  readonly versions?: VersionOverrides
  /** Default: in memory. */
  readonly store?: Store
  /**
   * Receives the inspection events of every actor of every run, as XState's own `inspect` does. Its exceptions go to
   * `onError`. Runs in a system of yours (`logic`) are shown to the inspector of that system instead.
   */
  readonly inspect?: (event: InspectionEvent) => void
  /**
   * A wrapper, or several, the first outermost, around every model call, tool, hook, scorer, memory and configuration
   * effect that is performed here; never around one that is replayed. Wrappers observe: the effect is performed once, and
   * its outcome delivered at once, whatever they do. One that throws is reported to `onError`; one that has not called
   * `perform` within `hookTimeout` is passed over. An `Observer` in the place of a wrapper is told of agents at work, too,
   * and may give a trace context to runs that begin.
   */
  readonly around?: AroundOption
  /**
   * How the charts of agents are interpreted, in runs, watches and replays: by tables that are made of each chart once,
   * which take less time, or by XState itself. Both take the same steps. A run with an inspector (`inspect`) and a run in a
   * system of yours (`logic`) are always interpreted by XState. Default: `'tables'`.
   */
  readonly interpreter?: InterpreterName
  /** The clock of the runs. Default: the system clock. */
  readonly clock?: Clock
  /** Milliseconds after which a suspended run leaves memory; its signal revives it. Default: 1 000. */
  readonly passivateAfter?: number
  /** Milliseconds after which another process may take the runs of a process that has gone. Default: 30 000. */
  readonly leaseTtl?: number
  /**
   * Milliseconds between two polls of the store: for signals that other processes sent to runs of this one, and for new
   * entries of runs that are watched here. A store that tells of changes is read at once besides. Default: 1 000.
   */
  readonly pollInterval?: number
  /**
   * Deletes old ended runs, threads and bytes of callers, in small slices in the background; several processes on one
   * store may each do so. Default: nothing is deleted, but for ended runs of a `memoryStore`, which has a limit of its own.
   */
  readonly retention?: Retention
  /** Reads the cron expressions of schedules: `cron` of `troupe/cron`. Default: schedules by cron are refused. */
  readonly cron?: CronCalendar
  /**
   * Budgets of tenants, over all their runs and all workers on the store. The `resourceId` of a run names its tenant, and a run
   * without a tenant is refused (`TENANT_MISSING`). The store needs a ledger. Default: none.
   */
  readonly tenants?: TenantOptions
  /**
   * What becomes of a run whose agents were edited while it waited. `'continue'`: recorded outcomes stand, the run goes on
   * with the words, schemas and models of today, and its journal names the edits. `'refuse'`: it cannot go on here
   * (`PROGRAM_CHANGED`). An agent may refuse for itself (`onDrift`). Default: `'continue'`.
   */
  readonly onDrift?: OnDrift
  /**
   * Whether this troupe takes runs that an older troupe of this process has in memory, and gives its own to a newer one. It is
   * for modules that are loaded again, as development servers do. Both need it. Troupes that share an agent take nothing from each other. Default: `false`.
   */
  readonly hotReload?: boolean
  /**
   * Receives each error that no caller receives, once, with its stack: an exception of a function of yours, when it is
   * thrown and not in a replay; an error of an observer; a signal that could not be delivered. It must not throw.
   * Default: one `console.warn` each.
   */
  readonly onError?: OnError
}

const observerFields = {
  around: optional(aFunction),
  agent: optional(aFunction),
  traceparent: optional(aFunction),
  traceparentOf: optional(aFunction),
} satisfies Fields<Observer>

const aWrapper = either((given) => isRecord(given), anObject(observerFields), aFunction)

/** A wrapper or an observer, or a list of them. */
export const someWrappers = either(
  Array.isArray,
  listOf(aWrapper, 'a function, or a list of functions'),
  aWrapper,
)

export const troupeFields = {
  agents: required(someAgents),
  versions: optional(readVersions),
  store: optional(
    having('a store, for example memoryStore()', 'append', 'read', 'list', 'claim', 'renew', 'delete'),
  ),
  inspect: optional(aFunction),
  around: optional(someWrappers),
  interpreter: optional(oneOf('tables', 'xstate')),
  clock: optional(having('a clock ({ now, after })', 'now', 'after')),
  passivateAfter: withDefault(
    is('milliseconds, from 0 to Infinity', (given) => typeof given === 'number' && given >= 0),
    1_000,
  ),
  leaseTtl: withDefault(milliseconds, 30_000),
  pollInterval: withDefault(milliseconds, 1_000),
  retention: optional(anObject(retentionFields)),
  tenants: optional(anObject(tenantFields)),
  cron: optional(having('a calendar, such as cron of troupe/cron', 'check', 'next', 'latest')),
  onDrift: withDefault(oneOf(...driftChoices), 'continue'),
  hotReload: withDefault(aBoolean, false),
  onError: optional(aFunction),
} satisfies Fields<TroupeConfig>

type ReadTroupeConfig = Omit<TroupeConfig, 'agents'> & { readonly agents: readonly AgentDefinition[] }

/** Throws a `ConfigurationError`. */
export function readTroupeConfig(given: TroupeConfig): ReadTroupeConfig {
  if (Array.isArray(given) || isAgent(given)) {
    const agents = Array.isArray(given) ? '[…]' : `[${given.id}]`
    throw new ConfigurationError(`createTroupe: agents are an option: createTroupe({ agents: ${agents} }).`)
  }
  return readOptions<TroupeConfig>(given, 'createTroupe', troupeFields, anyHint) as ReadTroupeConfig
}
