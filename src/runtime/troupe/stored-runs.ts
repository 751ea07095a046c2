/**
 * The runs of a store, for a process that works on none: it reads them, queues signals for their owners, and ends and deletes
 * those that nobody works on. It has no engine, and performs nothing.
 */
import { aFunction, having } from '../../actors/strict/checks.ts'
import {
  defaultsOf,
  optional,
  readOptions,
  required,
  withDefault,
  type Fields,
} from '../../actors/strict/read-options.ts'
import { RunNotFoundError, RunOwnedError, TroupeClosedError } from '../../errors.ts'
import { noneOrAgents, type GivenAgents } from '../definition/agents-given.ts'
import type { AgentDefinition } from '../definition/definition.ts'
import { createRegistry } from '../definition/registry.ts'
import { systemEnvironment, type Environment } from '../environment.ts'
import { blobsOf, type TroupeBlobs } from '../files/blobs.ts'
import {
  cancelSignal,
  readCancel,
  readDelete,
  type CancelRunOptions,
  type DeleteRunOptions,
  type RunSignal,
} from '../handle/run.ts'
import { readSignal } from '../handle/read-signal.ts'
import { answeringStore } from '../journal/answering-store.ts'
import type { JournalEntry } from '../journal/journal.ts'
import {
  readQuestionFilter,
  readRunFilter,
  type OpenQuestion,
  type Page,
  type QuestionFilter,
  type RunFilter,
  type RunSummary,
} from '../journal/run-index.ts'
import { deleteRunOf } from '../schedules/delete-run.ts'
import type { Claimed, Store, StoreListener } from '../journal/store.ts'
import { subscribeTo } from '../journal/store-subscription.ts'
import { historyOf } from '../replay/history.ts'
import { replayJournal } from '../replay/replay.ts'
import { readReplay, type Replay, type ReplayOptions } from '../replay/replay-contract.ts'
import { SignalsOfJournal } from '../replay/signals-of-journal.ts'
import { reporterOf, type OnError } from '../report.ts'
import { enqueueSay, enqueueSignal } from '../run/enqueue-signal.ts'
import { withId } from '../run/saying.ts'
import { chartsOf } from '../trail/charts.ts'
import { journalTrail } from '../trail/journal-trail.ts'
import { readTrail } from '../trail/trail.ts'
import { RunWatches } from '../watch/run-watches.ts'
import { listDecisions, type Decision, type DecisionFilter } from './decisions.ts'
import { countedIn, readStats, type RunStats, type StatsOptions } from '../health/stats.ts'
import { erasing, eraseResource, type ErasingHost } from '../ending/erasure.ts'
import type { EraseOptions, Erasure } from '../ending/erasure-report.ts'
import { endByForce } from '../ending/forced-end.ts'
import { assertDeleted, readJournalOptions, type JournalOptions, type RunService } from './run-service.ts'

/** The configuration of `storedRuns`. */
export interface StoredRunsConfig {
  /** The store whose runs other processes work on. It stays open. */
  readonly store: Store
  /** The agents of the runs. Lists, journals and forced ends need none; watches, replays, trails and signals do. Default: none. */
  readonly agents?: GivenAgents
  /** Receives problems of the store and of listeners. Default: they are written to the console. */
  readonly onError?: OnError
}

/** The runs of a store, as a process that works on none of them has them. Its methods are those of a troupe. */
export interface StoredRuns extends RunService {
  runs(filter?: RunFilter): Promise<Page<RunSummary>>
  awaiting(filter?: QuestionFilter): Promise<Page<OpenQuestion>>
  journal(runId: string, options?: JournalOptions): Promise<readonly JournalEntry[]>
  replay(runId: string, options?: ReplayOptions): Promise<Replay>
  /**
   * Queues a signal for the owner of the run, which takes it when it looks at its queue. Rejects with a `SignalError` for one
   * that the run does not wait for, and with a `ConfigurationError` that names the run where its agents are not given.
   */
  signal(runId: string, signal: RunSignal): Promise<void>
  /**
   * As `signal` with a cancel. With `force` it ends a run that no process works on; rejects with a `RunOwnedError` for one that
   * a process has.
   */
  cancel(runId: string, reason?: string, options?: CancelRunOptions): Promise<void>
  /** As `decisions` of a troupe. */
  decisions(filter?: DecisionFilter): Promise<Page<Decision>>
  /** As `delete` of a troupe. */
  delete(runId: string, options?: DeleteRunOptions): Promise<void>
  /**
   * As `eraseResource` of a troupe. Runs under way are told by the store: a process that has one ends it within `deadline`, or
   * loses it.
   */
  eraseResource(resourceId: string, options?: EraseOptions): Promise<Erasure>
  subscribe(listener: StoreListener): () => void
  /** As `stats` of a troupe, without what is of its process. */
  stats(options?: StatsOptions): Promise<Required<RunStats>>
  /** The bytes of files, as the store keeps them. */
  readonly blobs: TroupeBlobs
  /** Ends all watches and subscriptions. Later calls that signal, end, watch or delete runs reject with `TROUPE_CLOSED`. */
  close(): Promise<void>
}

const fields = {
  store: required(
    having('a store, for example sqliteStore(file)', 'append', 'read', 'list', 'claim', 'renew', 'delete'),
  ),
  agents: withDefault(noneOrAgents, [] as readonly AgentDefinition[]),
  onError: optional(aFunction),
} satisfies Fields<StoredRunsConfig>

/** Milliseconds between two looks at the journal of a watched run. */
const pollInterval = 500

/** Milliseconds after which a store that does not answer is told of as away. */
const outageTime = 30_000

/** Milliseconds for which a run is held for its end by force. */
const holdTime = 30_000

/** Milliseconds that a lease of another process may be dated ahead. */
const longestLease = 3_600_000

/**
 * The runs of a store on which other processes work: lists, journals, watches, trails, questions, signals and ends by force. No
 * run starts here, and none is resumed. Throws a `ConfigurationError` when two different agents share an id, or an option is
 * wrong.
 */
export function storedRuns(config: StoredRunsConfig): StoredRuns {
  return storedRunsIn(systemEnvironment, config)
}

/** As `storedRuns`, with a clock and ids other than those of the process. */
function storedRunsIn(environment: Environment, config: StoredRunsConfig): StoredRuns {
  const read = { ...defaultsOf(fields), ...readOptions<StoredRunsConfig>(config, 'storedRuns', fields) }
  const registry = createRegistry(read.agents as readonly AgentDefinition[])
  const report = reporterOf(read.onError)
  const { clock } = environment
  const store = answeringStore(read.store, clock, outageTime)
  const watches = new RunWatches({
    registry,
    store,
    environment,
    pollInterval,
    leaseTtl: outageTime,
    report,
    liveLog: () => undefined,
  })
  const closing = new AbortController()
  const assertOpen = (): void => {
    if (closing.signal.aborted) throw new TroupeClosedError()
  }
  const journal = async (runId: string, from?: number): Promise<readonly JournalEntry[]> => {
    const entries = await store.read(runId, from)
    if (entries === undefined) throw new RunNotFoundError(runId)
    return entries
  }
  const tell = async (runId: string, given: RunSignal): Promise<void> => {
    assertOpen()
    const signal = readSignal(given)
    const signals = new SignalsOfJournal(registry, await journal(runId))
    if (signal.type !== 'say') return enqueueSignal(store, runId, signal, signals)
    return enqueueSay({ store, clock }, runId, withId(signal, environment.newId), signals)
  }
  const trail: StoredRuns['trail'] = async (runId, options) =>
    journalTrail({
      ...readTrail(options),
      agents: registry,
      read: (from) => journal(runId, from),
      report,
    })
  const claim = claimOn(store, environment)
  const end = async (runId: string, reason: string, by?: string): Promise<void> => {
    assertOpen()
    const tellNested = (nested: string, make: () => RunSignal): Promise<void> => tell(nested, make())
    await endByForce({ store, report, clock, journal, claim, tell: tellNested }, runId, reason, by)
  }
  return {
    runs: async (filter) => store.list('runs', readRunFilter(filter)),
    awaiting: async (filter) => store.list('questions', readQuestionFilter(filter)),
    journal: async (runId, options) => journal(runId, readJournalOptions(options).from),
    history: async (runId) => historyOf(await journal(runId)),
    watch: (runId, options) => watches.watch(runId, options),
    replay: async (runId, options) =>
      replayJournal(registry, await journal(runId), { ...readReplay(options), report }),
    subscribe(listener) {
      assertOpen()
      return subscribeTo({ store, report, closing: closing.signal }, listener)
    },
    trail,
    stats: async (options) => countedIn(store, clock.now(), readStats(options)),
    decisions: async (filter) => listDecisions({ store, trail }, filter),
    charts: () => chartsOf(registry),
    signal: tell,
    async cancel(runId, reason, options) {
      const { force, ...rest } = readCancel(options)
      await (force === true
        ? end(runId, reason ?? 'cancelled', rest.by)
        : tell(runId, cancelSignal(reason, rest)))
    },
    async delete(runId, options) {
      assertOpen()
      const { force } = readDelete(options)
      const outcome = await deleteRunOf({ store, environment, clock }, runId)
      if (outcome !== 'unfinished' || force !== true) return assertDeleted(outcome, runId)
      await end(runId, 'deleted')
      assertDeleted(await deleteRunOf({ store, environment, clock }, runId), runId)
    },
    async eraseResource(resourceId, options = {}) {
      assertOpen()
      const host: ErasingHost = {
        store,
        clock,
        environment,
        report,
        owner: environment.newId(),
        closing: closing.signal,
        cancel: async (runId) => void (await store.enqueueSignal(runId, erasing())),
        forget: async () => undefined,
      }
      return eraseResource(host, resourceId, options)
    },
    blobs: blobsOf(store.blobs),
    async close() {
      closing.abort()
      await watches.close()
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
