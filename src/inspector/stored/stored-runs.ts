/** The runs of a store for an inspector of its own process: it reads them, queues answers for their owner, and takes none. */
import {
  type AnyAgent,
  type Claimed,
  type JournalEntry,
  RunNotEndedError,
  RunNotFoundError,
  RunOwnedError,
  type Store,
} from '../../index.ts'
import { readQuestionFilter, readRunFilter, readSignal, reporterOf } from '../../kit/index.ts'
import {
  type Environment,
  RunWatches,
  SignalsOfJournal,
  asDefinition,
  cancelSignal,
  chartsOf,
  createRegistry,
  endByForce,
  enqueueSay,
  enqueueSignal,
  historyOf,
  journalTrail,
  readJournalOptions,
  readTrail,
  replayJournal,
  subscribeTo,
  systemEnvironment,
  withId,
} from '../../kit/host.ts'
import type { ServiceInfo } from '../wire/routes.ts'
import type { InspectedService } from '../server/service.ts'

export interface StoredRunsOptions {
  readonly store: Store
  /** Without the agents of a run its entries are shown, and not what they led to. */
  readonly agents: readonly AnyAgent[]
  readonly title: string
  /** Default: that of a store whose runs are worked on elsewhere. */
  readonly inspection?: Pick<ServiceInfo, 'engine' | 'unavailable'>
}

/** Reads of journals of watched runs, in milliseconds. */
const pollInterval = 500
const outageTime = 30_000

/** How long a run may be held for its end by force, and how far ahead a lease of another process may be dated, in milliseconds. */
const holdTime = 30_000
const longestLease = 3_600_000

const runsElsewhere = 'This process runs no agents: fork the run in the process of its troupe.'
const withoutAgents = 'The agents are not here, and only they know the questions: start with --agents.'

/** A service of the runs in a store. */
export interface StoredRuns extends InspectedService {
  /** Ends all watches, and closes the store. */
  close(): Promise<void>
}

/** Throws a `ConfigurationError` when two different agents share an id. */
export function storedRuns({ store, agents, title, inspection }: StoredRunsOptions): StoredRuns {
  const registry = createRegistry(agents.map(asDefinition))
  const environment = systemEnvironment
  const report = reporterOf()
  const closing = new AbortController()
  const watches = new RunWatches({
    registry,
    store,
    environment,
    pollInterval,
    leaseTtl: outageTime,
    report,
    liveLog: () => undefined,
  })
  const read = async (runId: string, from?: number): Promise<readonly JournalEntry[]> => {
    const journal = await store.read(runId, from)
    if (journal === undefined) throw new RunNotFoundError(runId)
    return journal
  }
  const signal: InspectedService['signal'] = async (runId, given) => {
    const told = readSignal(given)
    const journal = new SignalsOfJournal(registry, await read(runId))
    if (told.type !== 'say') return enqueueSignal(store, runId, told, journal)
    return enqueueSay({ store, clock: environment.clock }, runId, withId(told, environment.newId), journal)
  }
  const ownership = {
    store,
    report,
    clock: environment.clock,
    journal: read,
    claim: claimOn(store, environment),
  }
  return {
    inspection: {
      engine: 'embedded',
      unavailable: {
        fork: runsElsewhere,
        ...(agents.length === 0 ? { signal: withoutAgents } : {}),
      },
      ...inspection,
      title,
    },
    ...(store.blobs === undefined ? {} : { blobs: store.blobs }),
    runs: async (filter) => store.list('runs', readRunFilter(filter)),
    awaiting: async (filter) => store.list('questions', readQuestionFilter(filter)),
    journal: async (runId, options) => read(runId, readJournalOptions(options).from),
    history: async (runId) => historyOf(await read(runId)),
    watch: (runId, options) => watches.watch(runId, options),
    replay: async (runId) => replayJournal(registry, await read(runId), { report }),
    subscribe: (listener) => subscribeTo({ store, report, closing: closing.signal }, listener),
    trail: async (runId, options) =>
      journalTrail({ ...readTrail(options), agents: registry, read: (from) => read(runId, from), report }),
    charts: () => chartsOf(registry),
    signal,
    cancel(runId, reason = 'cancelled', { force, ...options } = {}) {
      if (force !== true) return signal(runId, cancelSignal(reason, options))
      return endByForce({ ...ownership, tell: (nested, make) => signal(nested, make()) }, runId, reason)
    },
    async delete(runId) {
      const outcome = await store.delete(runId)
      if (outcome === 'unfinished') throw new RunNotEndedError(runId)
      if (outcome === 'unknown') throw new RunNotFoundError(runId)
    },
    async close() {
      closing.abort()
      await watches.close()
      await store.close?.()
    },
  }
}

/** Takes a run that no process works on, to end it. */
function claimOn(store: Store, { clock, newId }: Environment): (runId: string) => Promise<Claimed> {
  const owner = newId()
  return async (runId) => {
    const now = clock.now()
    const lease = await store.claim(runId, owner, now, now + holdTime, now + longestLease)
    if (lease === undefined) throw new RunOwnedError(runId)
    return lease
  }
}
