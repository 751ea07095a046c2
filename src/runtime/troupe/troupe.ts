/** A troupe: agents, a store for their journals, and the runs in progress. */
import type { InferOutput, Schema } from '../../actors/schemas/schema.ts'
import type { RunEvent } from '../handle/run-event.ts'
import type { ToolResultOf, ToolResults } from '../../machines/contract/records.ts'
import type { Chart } from '../../actors/charts/chart.ts'
import type { Prompt } from '../../actors/message.ts'
import { readOptions } from '../../actors/strict/read-options.ts'
import { ConfigurationError } from '../../errors.ts'
import { ownGetters } from '../../actors/values/own-getters.ts'
import { Core } from './core.ts'
import { TroupeHosting } from './hosting.ts'
import { withCore } from './core-of.ts'
import { listDecisions, type Decision, type DecisionFilter } from './decisions.ts'
import type { AgentDefinition, AnyAgent, EventResults, Shaped } from '../definition/definition.ts'
import type { Perform } from '../engine/effects/perform.ts'
import { systemEnvironment, type Environment } from '../environment.ts'
import { strictMemory } from '../journal/strict-memory.ts'
import type { ForkRunOptions, ResumeOptions } from '../options/resume-options.ts'
import { forkOf, readFork, type ForkOptions } from '../replay/fork.ts'
import {
  readClose,
  readDrain,
  type CloseOptions,
  type DrainOptions,
  type DrainReport,
} from './phases/drain.ts'
import { healthOf, readHealth, type HealthOptions, type TroupeHealth } from '../health/health.ts'
import { readStats, troupeStats, type StatsOptions, type TroupeStats } from '../health/stats.ts'
import type { TroupePhase } from '../troupe-phase.ts'
import { blobsOf, type TroupeBlobs } from '../files/blobs.ts'
import { historyOf, type HistoryEntry } from '../replay/history.ts'
import type { HostedLogic, LogicOptions, UnfailedResult } from './hosted.ts'
import { cancelByForce, deleteByForce, deleteEnded, erase } from './deletions.ts'
import type { EraseOptions, Erasure } from '../ending/erasure-report.ts'
import { hostedLogic, NestedActors, readLogicOptions } from './hosted-logic.ts'
import { HostedRuns } from './hosted-runs.ts'
import { startedOf, type JournalEntry } from '../journal/journal.ts'
import type { TenantAccount } from '../tenants/tenant-charge.ts'
import type { StoreListener } from '../journal/store.ts'
import { subscribeTo } from '../journal/store-subscription.ts'
import type { TroupeMemory } from '../journal/memory-storage.ts'
import type { CallOptions } from '../options/options.ts'
import { recoverFields, type RecoverOptions, type Recovery } from './recovery.ts'
import { replayJournal } from '../replay/replay.ts'
import { readReplay, type Replay, type ReplayOptions } from '../replay/replay-contract.ts'
import type { RunWatch, WatchOptions } from '../watch/run-watch.ts'
import { readJournalOptions, type JournalOptions, type RunService } from './run-service.ts'
import {
  cancelSignal,
  readCancel,
  readDelete,
  type CancelRunOptions,
  type DeleteRunOptions,
  type Run,
  type RunSignal,
} from '../handle/run.ts'
import type { Schedule } from '../schedules/kept-schedule.ts'
import type { ScheduleTimes } from '../schedules/schedule-options.ts'
import type { TroupeSchedules } from '../schedules/schedules.ts'
import { chartsOf } from '../trail/charts.ts'
import { journalTrail } from '../trail/journal-trail.ts'
import { readTrail, type Trail, type TrailOptions } from '../trail/trail.ts'
import { readTroupeConfig, type TroupeConfig } from './troupe-options.ts'
import { troupeConfiguration, type TroupeConfiguration } from './troupe-config.ts'
import {
  readQuestionFilter,
  readRunFilter,
  type OpenQuestion,
  type Page,
  type QuestionFilter,
  type RunFilter,
  type RunSummary,
} from '../journal/run-index.ts'

/** Agents on a store: starts, resumes, replays and lists their runs. */
export interface Troupe extends RunService {
  /**
   * Starts a run, and resolves with its handle once its start is durable: a crash from then on loses nothing of it.
   * Rejects with a `ConfigurationError` for an empty prompt, an unknown agent or a wrong option; with a `RunExistsError`
   * for a `runId` that the store has; with a `StoreError` when the store does not take the start: there is then no run.
   */
  start<
    Options extends object,
    Given extends Schema,
    Object,
    Args extends readonly unknown[],
    Results extends ToolResults,
  >(
    agent: AnyAgent<Options, Object, Args, Results>,
    prompt: Prompt,
    options: Options & CallOptions & Shaped<Given>,
  ): Promise<Run<InferOutput<Given>, ToolResultOf<Results>, RunEvent<EventResults<Options, Results>>>>
  start<Options extends object, Object, Args extends readonly unknown[], Results extends ToolResults>(
    agent: AnyAgent<Options, Object, Args, Results>,
    prompt: Prompt,
    ...options: Args
  ): Promise<Run<Object, ToolResultOf<Results>, RunEvent<EventResults<Options, Results>>>>
  /**
   * Starts runs of an agent later: once, at an interval, or by a cron expression. The schedule stays in the store, and each
   * occurrence starts one run, whichever worker is there; its id is made of the key and the time. This process starts what is due,
   * of all schedules of its agents, from here on; others do so after `recover`. The same schedule again changes nothing; another
   * one under the same key replaces it. Options that are functions are refused: give them to the definition of the agent.
   * Rejects with a `ConfigurationError` for wrong times, as `start` does, and for a key of another resource; with `STORE_LACKS_PORT`
   * for a store without schedules.
   */
  schedule<Options extends object, Object, Args extends readonly unknown[], Results extends ToolResults>(
    agent: AnyAgent<Options, Object, Args, Results>,
    prompt: Prompt,
    times: ScheduleTimes,
    ...options: Args
  ): Promise<Schedule>
  /** The schedules of the store: to list, to pause and to remove. */
  readonly schedules: TroupeSchedules
  /**
   * Continues a run of the store from the end of its journal: settled effects are not performed again. Resolves with
   * the handle of the run; a run that has ended has its result. `options` hold the functions that were given with the
   * run, and a `signal`: other options are settled, and refused where they differ.
   * Rejects with a `RunNotFoundError`; a `RunOwnedError` while another troupe owns the run; a `JournalMismatchError`
   * when agents or machines have changed; a `ConfigurationError` for an agent or a function that is missing; a
   * `StoreError`.
   */
  resume(runId: string, options?: ResumeOptions): Promise<Run>
  /**
   * Resumes every unfinished run that has no owner. Suspended runs stay in the store, and are revived when their timers
   * are due. It starts the runs of schedules that are due. With `every` (milliseconds) it repeats this, for runs whose owner has gone. With `restored`
   * the store is a copy of an earlier point: calls of its runs that may have been made before ask first.
   */
  recover(options?: RecoverOptions): Promise<Recovery>
  /**
   * Delivers a signal to a run in any place: live here, in the store alone (it then goes on here), or owned by another
   * process, which fetches the signal within its `pollInterval`. Rejects with a `SignalError` for an answer that the
   * run does not wait for and for a delegation that is not in progress, and as `resume` does.
   */
  signal(runId: string, signal: RunSignal): Promise<void>
  /**
   * As `signal` with a cancel: of the run, or of one delegation. With `force` it ends a run that cannot go on: nothing of the
   * run is performed. Its end names the tasks of other systems and the calls that are left (`left`), and the runs within its
   * calls are cancelled, or ended by force too.
   */
  cancel(runId: string, reason?: string, options?: CancelRunOptions): Promise<void>
  /**
   * Replays a run from its journal alone: no effect is performed. Where instructions, tools or options have changed, it
   * goes on, and `diverged` tells the first difference. Rejects with a `JournalMismatchError` at an entry to which the
   * agents do not lead any more, with a `TroupeError` of the code `AGENT_NOT_HERE` for agents that are not registered, and
   * with a `RunNotFoundError`.
   */
  replay(runId: string, options?: ReplayOptions): Promise<Replay>
  /**
   * Replays a run from its journal alone, and tells of each entry what it led to: transitions, events, actors. The trail
   * has the actors as they were after any entry. Rejects as `replay` does.
   */
  trail(runId: string, options?: TrailOptions): Promise<Trail>
  /**
   * Returns the charts of the agents as data, with those of the machines below them, and of the machines that workflows
   * run. Two machines of yours may share an id. Agents that a function of a run makes are not included.
   */
  charts(): readonly Chart[]
  /**
   * Starts a run that shares the first entries of another, and continues on its own from there. It sees threads as they
   * stood at that point, and adds to threads of its own, unless `threadId` names one. `options` are otherwise as for
   * `resume`. A tool that was running at that point runs again, for the new run. Rejects as `resume` does; with a
   * `ConfigurationError` where working memory of that point is on no record; with a `RunExistsError` for a `runId` that is
   * taken.
   */
  fork(runId: string, fork: ForkOptions, options?: ForkRunOptions): Promise<Run>
  /** Returns the journal in readable form. Rejects with a `RunNotFoundError`. */
  history(runId: string): Promise<readonly HistoryEntry[]>
  /**
   * Returns the entries of a run's journal, from the entry `from` on where that is given. Rejects with a
   * `RunNotFoundError`, and with a `ConfigurationError` for a wrong option.
   */
  journal(runId: string, options?: JournalOptions): Promise<readonly JournalEntry[]>
  /**
   * The events of a run in any place, from the first on or from behind a cursor, and its text: live where the run is live
   * in this troupe, else from its journal, within `pollInterval` of each entry. It takes no lease, wakes no suspended run,
   * and performs nothing. A message that another process streams arrives complete. Throws a `ConfigurationError` for a
   * cursor that is none, or of another run; the rest is told by `ready` and the first `next`.
   */
  watch(runId: string, options?: WatchOptions): RunWatch
  /**
   * Calls back when the journal of a run has grown (`entries`), or a signal was queued for it (`signals`), in any process as
   * far as the store tells: a SQLite file tells of this process, Postgres of all. It may do so late, too often, and miss a
   * change; a store without `subscribe` never does. An error of the listener goes to `onError`. Returns the function that
   * ends this, as `close` does. Throws a `ConfigurationError` for a listener that is no function.
   */
  subscribe(listener: StoreListener): () => void
  /**
   * A page of the runs in the store, oldest first unless `order` says otherwise. It reads no journal and needs no agent.
   * Rejects with a `ConfigurationError` for a wrong filter.
   */
  runs(filter?: RunFilter): Promise<Page<RunSummary>>
  /**
   * A page of the questions that wait for an answer: approvals, suspensions and interruptions of all unfinished runs, in
   * any process. It reads no journal and needs no agent. A question is listed before its run tells `suspended`, and gone
   * once its answer is on record. Answer one by `signal`. Rejects with a `ConfigurationError` for a wrong filter.
   */
  awaiting(filter?: QuestionFilter): Promise<Page<OpenQuestion>>
  /**
   * A page of the decisions of people and programs: answers, messages and cancels, by the beginning of their runs. It reads the
   * journals of the runs that the filter leaves. Rejects with a `ConfigurationError` for a wrong filter.
   */
  decisions(filter?: DecisionFilter): Promise<Page<Decision>>
  /**
   * Deletes a run that has ended: its journal, its place in lists, its signals, and the files that no other run and no
   * thread names. Threads and forks stay, and so do results and events in handles. From then on `resume`, `replay`,
   * `fork`, `history` and `journal` reject with a `RunNotFoundError`.
   * Rejects with a `RunNotEndedError` for an unfinished run, in whichever process it is, and with a `RunNotFoundError`. With
   * `force` a run that no process works on is ended first, as `cancel` with `force` does.
   */
  delete(runId: string, options?: DeleteRunOptions): Promise<void>
  /**
   * Erases all of a resource: its runs of every state with their forks and the runs within their calls, questions, signals, files
   * and items kept with them; its threads, its messages in other threads, and its notes. Runs under way are cancelled, and after
   * `deadline` ended by force, in whichever process they are; what a run writes after its deletion is refused. Resolves with what
   * went, and what is left and why. A call after one that was interrupted goes on where that was. Runs that begin meanwhile may be
   * erased too; a run that begins later is a new one. The files of a store have the bytes until `store.compact()`.
   * Rejects with a `ConfigurationError`, a `StoreError`, and with `TROUPE_CLOSED`.
   */
  eraseResource(resourceId: string, options?: EraseOptions): Promise<Erasure>
  /**
   * Returns the agent as actor logic for any XState app (`invoke`, `spawnChild`). Its input is `{ prompt, …options }`,
   * its output the result of the run; it emits the events of the run, and takes `approve`, `deny`, `resume` and
   * `cancel`. A run that has failed is an output too, with the outcome `failed`, unless `failed: 'error'`.
   * It lives in that app's system, with its inspector and, unless the troupe was given a clock, on its clock.
   * It persists the run id alone, and is restored from the journal: a restored actor emits the events of the run again
   * from the first, and takes over the run from any other holder in this troupe. Stopping it, also by leaving the state
   * that invoked it, cancels the run; a start of the stopped actor begins a new run from the same input. Its actor fails with a `ConfigurationError` for a wrong input, and when it is
   * restored as `resume` rejects; it waits for a run that another troupe owns.
   */
  logic<Options extends object, Object, Args extends readonly unknown[]>(
    agent: AnyAgent<Options, Object, Args>,
    options: LogicOptions & { readonly failed: 'error' },
  ): HostedLogic<Options, Object, UnfailedResult<Object>>
  logic<Options extends object, Object, Args extends readonly unknown[]>(
    agent: AnyAgent<Options, Object, Args>,
    options?: LogicOptions,
  ): HostedLogic<Options, Object>
  /** Threads and working memory, as the troupe's store keeps them: to read, to fill and to delete. */
  readonly memory: TroupeMemory
  /** The bytes of files, as the troupe's store keeps them. */
  readonly blobs: TroupeBlobs
  /** Task types, patterns, and other config items that may change while the troupe runs. */
  readonly config: TroupeConfiguration
  /**
   * Takes no more runs and begins no more effects, lets effects that are under way end, and releases each run once nothing of
   * it is under way: any process may go on with it at once. Resolves when all are released, at most a second after the
   * deadline; what is under way then is aborted. Calls that start or continue runs reject from the call on with a
   * `TroupeDrainingError` (`TROUPE_DRAINING`); signals for other runs are queued for the processes that take them. Handles
   * of released runs reject with `TROUPE_CLOSED`. Runs within a call that is under way go on with it. A further call has the
   * same report, and its deadline holds where it is earlier. Rejects with `TROUPE_CLOSED`, and with a `ConfigurationError`.
   */
  drain(options?: DrainOptions): Promise<DrainReport>
  /** Whether it takes runs (`open`), is `draining`, or was `closed`. */
  readonly phase: TroupePhase
  /**
   * Counts unfinished runs, open questions, and what is overdue, of all processes on the store, in one query that reads no
   * journal; and what this process does. No name of a run, an agent or a resource is in it. With `settled` ended runs are counted
   * too. Rejects with a `ConfigurationError` of the code `STORE_LACKS_PORT` for a store without `census`, and as the store does.
   */
  stats(options?: StatsOptions): Promise<TroupeStats>
  /**
   * What a tenant has used and reserved by now, and its limits, by period. Rejects with a `ConfigurationError` in a troupe without
   * `tenants`, and as the store does.
   */
  tenant(resourceId: string): Promise<readonly TenantAccount[]>
  /**
   * Whether the troupe is well: it is open, its store answers within `deadline` milliseconds and takes appends, and no run or
   * timer is overdue. Resolves in any case, with what is wrong. Rejects with a `ConfigurationError` for a wrong option.
   */
  health(options?: HealthOptions): Promise<TroupeHealth>
  /**
   * Releases all runs: no run ends by it, and another troupe may continue each. The store stays open. Effects in
   * progress are aborted: `drain` lets them end before. Calls that an answer here has released, and those whose start is being
   * recorded, end first, within four fifths of the deadline. A run whose end is on record by then settles with it; the promises of every other handle, and
   * all later calls that start, continue, signal, watch or delete runs, reject with a `TroupeError` of the code
   * `TROUPE_CLOSED`, and hosted actors fail with it. What only reads the store goes on. Rejects when the store does not
   * release the runs, and with the code `CLOSE_TIMEOUT` at the deadline, also where the store is silent.
   */
  close(options?: CloseOptions): Promise<void>
}

/**
 * Creates a troupe of agents on a store. Throws a `ConfigurationError` when two different agents share an id, or an
 * option is wrong.
 */
export function createTroupe(config: TroupeConfig): Troupe {
  return createTroupeIn(systemEnvironment, config)
}

/**
 * As `createTroupe`, with a clock and ids other than those of the process. `door`: performs the effects in place of the real
 * performers.
 */
export function createTroupeIn(environment: Environment, config: TroupeConfig, door?: Perform): Troupe {
  const read = readTroupeConfig(config)
  const core = new Core({ ...read, environment, door })
  const hosting = core.host(new TroupeHosting(core, read))
  const trail: Troupe['trail'] = async (runId, options) =>
    journalTrail({
      ...readTrail(options),
      agents: core.registry,
      read: (from) => core.journal(runId, from),
      report: core.report,
    })
  const troupe: Omit<Troupe, 'phase'> = {
    async start(agent: AgentDefinition, prompt: Prompt, options: object = {}) {
      return (await core.start(agent, prompt, options)).run
    },
    schedule: (async (agent: AgentDefinition, prompt: Prompt, times: ScheduleTimes, options: object = {}) =>
      hosting.scheduling.schedule(agent, prompt, times, options)) as Troupe['schedule'],
    schedules: hosting.scheduling.list,
    resume: async (runId, options) => (await core.resume(runId, options, undefined, 'always')).run,
    async recover(options = {}) {
      const { every, restored } = readOptions<RecoverOptions>(options, 'recover', recoverFields)
      if (every !== undefined) hosting.watch(every)
      return hosting.recover(restored)
    },
    signal: (runId, signal) => core.tell(runId, () => signal),
    cancel(runId, reason, options) {
      const { force, ...rest } = options ?? {}
      if (force === undefined) return core.tell(runId, () => cancelSignal(reason, rest))
      return readCancel(options).force === true
        ? cancelByForce(core, runId, reason ?? 'cancelled', rest.by)
        : core.tell(runId, () => cancelSignal(reason, rest))
    },
    async replay(runId, options) {
      const read = readReplay(options)
      return replayJournal(core.registry, await core.journal(runId), {
        ...read,
        report: core.report,
        interpreter: core.interpreter,
      })
    },
    trail,
    charts: () => chartsOf(core.registry),
    async fork(runId, fork, options = {}) {
      const { versions, agents, ...at } = readFork(fork)
      const journal = await core.journal(runId)
      const { runId: chosen, threadId } = core.chosenFor(journal, options)
      const newId = chosen === undefined ? core.environment.newId : () => chosen
      const forked = forkOf(journal, at, { newId, now: core.clock.now(), threadId })
      const cast = versions === undefined ? forked : core.recast(forked, versions)
      const begun = agents === undefined ? cast : core.asToday(cast, startedOf(forked).agents)
      return (await core.adopt(begun, options, chosen !== undefined)).run
    },
    watch: (runId, options) => core.watches.watch(runId, options),
    subscribe(listener) {
      core.assertOpen()
      return subscribeTo(core, listener)
    },
    history: async (runId) => historyOf(await core.journal(runId)),
    journal: async (runId, options) => core.journal(runId, readJournalOptions(options).from),
    runs: async (filter) => core.store.list('runs', readRunFilter(filter)),
    awaiting: async (filter) => core.store.list('questions', readQuestionFilter(filter)),
    decisions: async (filter) => listDecisions({ store: core.store, trail }, filter),
    delete: async (runId, options) =>
      readDelete(options).force === true ? deleteByForce(core, runId) : deleteEnded(core, runId),
    eraseResource: async (resourceId, options = {}) => erase(core, resourceId, options),
    logic: ((agent: AgentDefinition, options?: LogicOptions) =>
      hostedLogic(
        agent,
        new NestedActors(core, agent, new HostedRuns(core, agent, core.hasOwnClock)),
        core.report,
        readLogicOptions(options),
      )) as Troupe['logic'],
    memory: strictMemory(core.store.memory, core.store.blobs),
    blobs: blobsOf(core.store.blobs),
    config: troupeConfiguration(core.store.config, core.registry),
    stats: async (options) => troupeStats(core, readStats(options)),
    async tenant(resourceId) {
      if (core.tenants !== undefined) return core.tenants.sums(resourceId)
      throw new ConfigurationError(
        'tenant: this troupe has no budgets of tenants: createTroupe({ tenants }).',
      )
    },
    health: async (options) => healthOf(core, readHealth(options)),
    drain: async (options) => core.phases.drain(readDrain(options)),
    close: async (options) => core.phases.close(readClose(options)),
  }
  const whole = withPhase(troupe, core)
  return withCore(whole, core)
}

const withPhase = /* @__PURE__ */ ownGetters<Core, Pick<Troupe, 'phase'>>({
  phase: ({ phases }) => phases.name,
})
