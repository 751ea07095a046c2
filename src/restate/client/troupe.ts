/** A client of agents that run on Restate: it starts runs, follows them, and sends them signals. */
import type { RunEvent } from '../../runtime/handle/run-event.ts'
import type { ToolResultOf, ToolResults } from '../../machines/contract/records.ts'
import type { Prompt } from '../../actors/message.ts'
import { aTraceparent, aTracestate, assertTrace, traceIn } from '../../actors/strict/trace-context.ts'
import { optional, readOptions, type Fields } from '../../actors/strict/read-options.ts'
import { ConfigurationError, RunExistsError, toErrorData } from '../../errors.ts'
import { remoteAgentMachine } from '../../machines/remote-agent.ts'
import type { CallOptions } from '../../runtime/options/options.ts'
import { createRun, type RunSpec } from '../../runtime/run/create-run.ts'
import { hookTimeoutOf } from '../../runtime/definition/profile.ts'
import { filesRefused } from '../../runtime/journal/lost-run.ts'
import type { AgentDefinition, AnyAgent } from '../../runtime/definition/definition.ts'
import { systemEnvironment } from '../../runtime/environment.ts'
import { blobsOf, type TroupeBlobs } from '../../runtime/files/blobs.ts'
import { PromptFiles } from '../../runtime/files/prompt-files.ts'
import { historyOf, type HistoryEntry } from '../../runtime/replay/history.ts'
import type { TroupeMemory } from '../../runtime/journal/memory-storage.ts'
import type { OpenQuestion, Page } from '../../runtime/journal/run-index.ts'
import { assertRegistered, lookUp, type AgentRegistry } from '../../runtime/definition/registry.ts'
import { registryHere } from '../../runtime/replay/registry-here.ts'
import { readReplay, type Replay, type ReplayOptions } from '../../runtime/replay/replay-contract.ts'
import type { Reporter } from '../../runtime/report.ts'
import { ReportedPromise } from '../../runtime/reported-promise.ts'
import { undelivered } from '../../runtime/handle/read-signal.ts'
import { cancelSignal, type CancelOptions, type RunSignal } from '../../runtime/handle/run.ts'
import { readStats, type RunStats, type StatsOptions } from '../../runtime/health/stats.ts'
import type { RunService } from '../../runtime/troupe/run-service.ts'
import { troupeConfiguration, type TroupeConfiguration } from '../../runtime/troupe/troupe-config.ts'
import { chartsOf } from '../../runtime/trail/charts.ts'
import type { Trail } from '../../runtime/trail/trail.ts'
import { strictMemory } from '../../runtime/journal/strict-memory.ts'
import { clientSettings, type RestateTroupeConfig } from './client-config.ts'
import { assertDurable, type DurableArgs } from '../wire/durable-options.ts'
import { RunWatches } from './run-watches.ts'
import { RemoteRun, type RestateRun } from './remote-run.ts'
import { beginningOf, workflowsOf } from './find-run.ts'
import {
  exportRun,
  journalsIn,
  journalsOf,
  readJournals,
  replayRun,
  type RunExport,
  type RunJournals,
} from './run-export.ts'
import { trailOf } from './export-trail.ts'
import { RestateAdmin } from './admin.ts'
import {
  listQuestions as questionsOf,
  openQuestionsOf,
  readRestateQuestions,
  type RestateQuestionFilter,
} from './open-questions.ts'
import { deleteRun } from './run-deletion.ts'
import { restateStats } from './stats.ts'
import {
  listRuns,
  untilListed,
  readRestateFilter,
  type RestateRunFilter,
  type RestateRunSummary,
} from './run-listing.ts'

/** The options of `resume` on Restate. */
export interface RestateResumeOptions {
  /**
   * The W3C trace context of the effects of the root agent, and of subagents that begin, from now on. It is in the
   * journal. Default: that of the start.
   */
  readonly traceparent?: string
  /** The W3C tracestate that came with `traceparent`. Default: with a `traceparent` none, else that of the start. */
  readonly tracestate?: string
}

const resumeFields: Fields<RestateResumeOptions> = {
  traceparent: optional(aTraceparent),
  tracestate: optional(aTracestate),
}

/** A client of agents on Restate. */
export interface RestateTroupe extends Omit<RunService, 'fork'> {
  /**
   * Starts a run, and resolves with its handle: with `admin` once lists have the run, or after five seconds in which no worker
   * has taken it up. Its options are data: functions cannot be sent, and belong to the
   * definition of the agent. Rejects with a `ConfigurationError` for an empty prompt, an unknown agent, a wrong option
   * and for functions; with a `RunExistsError` for a `runId` that the agent has on Restate; with a `TroupeError` when Restate
   * cannot be reached or has no worker for the agent.
   */
  start<Options extends object, Object, Args extends readonly unknown[], Results extends ToolResults>(
    agent: AnyAgent<Options, Object, Args, Results>,
    prompt: Prompt,
    ...options: DurableArgs<Args>
  ): Promise<RestateRun<Object, ToolResultOf<Results>, RunEvent<Results>>>
  /**
   * Resolves with the handle of a run that was started before. Rejects with a `RunNotFoundError`; with a `TroupeError` of the
   * code `AGENT_NOT_HERE` for a run of another agent, which is found with `admin` alone.
   */
  resume(runId: string, options?: RestateResumeOptions): Promise<RestateRun>
  /** Sends a signal to a run. Rejects with a `SignalError` where the run does not wait for it, and as `resume` does. */
  signal(runId: string, signal: RunSignal): Promise<void>
  /** As `signal` with a cancel: of the run, or of one delegation. */
  cancel(runId: string, reason?: string, options?: CancelOptions): Promise<void>
  /**
   * Returns the journals of a run and its subagents, as JSON: to keep, since Restate forgets a run after a while. With `admin`
   * it needs none of the agents. Without it, the journals of subagents are found by a replay. Rejects with a
   * `RunNotFoundError`.
   */
  journal(runId: string): Promise<RunExport>
  /** Returns the journal in readable form: that of the run, and then those of its subagents. Agents as for `journal`. */
  history(run: string | RunExport): Promise<readonly HistoryEntry[]>
  /**
   * Replays a run from its journals alone: no effect is performed. Where instructions, tools or options have changed, it
   * goes on, and `diverged` tells the first difference. Rejects with a `JournalMismatchError` at an entry to which the
   * agents do not lead any more, with a `TroupeError` of the code `AGENT_NOT_HERE`, and with a `RunNotFoundError`.
   */
  replay(run: string | RunExport, options?: Pick<ReplayOptions, 'inspect'>): Promise<Omit<Replay, 'actors'>>
  /**
   * Replays a run from its journals alone, and tells of each entry what it led to: transitions, events, actors. The trail
   * has the actors as they were after any entry of each journal. Rejects as `replay` does.
   */
  trail(run: string | RunExport): Promise<Trail>
  /**
   * A page of the runs that Restate still has, oldest first unless `order` says otherwise. Rejects with a
   * `ConfigurationError` for a wrong filter, and without `admin`.
   */
  runs(filter?: RestateRunFilter): Promise<Page<RestateRunSummary>>
  /**
   * A page of the questions that wait for an answer, of all runs of the namespace. Rejects with a `ConfigurationError`
   * for a wrong filter, and without `admin`.
   */
  awaiting(filter?: RestateQuestionFilter): Promise<Page<OpenQuestion>>
  /**
   * Counts the runs that Restate still has, and their open questions, without a name of any. The questions are read for it.
   * Rejects with a `ConfigurationError` for a wrong option, and without `admin`.
   */
  stats(options?: StatsOptions): Promise<RunStats>
  /**
   * Deletes a run that has ended: the workflows of the run and its subagents, and the files that no other run and no
   * thread of the store names. Threads stay, and so do results and events in handles.
   * Rejects with a `RunNotEndedError`, with a `RunNotFoundError`, and with a `ConfigurationError` without `admin`.
   */
  delete(runId: string): Promise<void>
}

/** A client that reaches the store of the workers. */
export interface RestateTroupeWithStore extends RestateTroupe {
  /** Threads and working memory, as the workers keep them: to read, to fill and to delete. */
  readonly memory: TroupeMemory
  /** The bytes of files, as the workers keep them. */
  readonly blobs: TroupeBlobs
  /** Task types, patterns, and other config items that may change while the workers run. */
  readonly config: TroupeConfiguration
}

const where = 'restateTroupe'

/**
 * Creates a client of the agents that workers run on Restate. Throws a `ConfigurationError` when two different agents
 * share an id, or an option is wrong.
 */
export function restateTroupe(
  config: RestateTroupeConfig & Required<Pick<RestateTroupeConfig, 'store'>>,
): RestateTroupeWithStore
export function restateTroupe(config: RestateTroupeConfig): RestateTroupe
export function restateTroupe(config: RestateTroupeConfig): RestateTroupe {
  const {
    registry,
    selectors,
    namespace,
    ingress,
    admin: address,
    sealing,
    pollInterval,
    deltas,
    store,
    report,
  } = clientSettings(config, where)
  const admin = address && new RestateAdmin(address, sealing)

  const needed = (): RestateAdmin => {
    if (admin !== undefined) return admin
    throw new ConfigurationError(
      `${where}: give admin, the address of Restate's admin API, to list and to delete runs.`,
    )
  }

  const listQuestions = admin && ((runId: string) => openQuestionsOf(admin, namespace, [runId]))

  const handle = (id: string, agent: AgentDefinition): RemoteRun =>
    new RemoteRun({
      id,
      agent: agent.id,
      schema: agent.options.structuredOutput?.schema,
      blobs: store?.blobs,
      registry,
      ingress,
      pollInterval,
      deltas,
      report,
      listQuestions,
    })

  const finder = { registry, ingress, admin, namespace }
  const find = async (runId: string): Promise<AgentDefinition> => {
    const started = await beginningOf(finder, runId)
    const versions = registry.versionsOf(started.agent)
    if (versions.length === 0) registryHere(registry, started)
    // A client that has only another version of it can still send it signals: the workers know the run's own.
    return versions.find(({ version }) => version === started.version) ?? lookUp(registry, started.agent)
  }
  const watches = new RunWatches({
    registry,
    ingress,
    pollInterval,
    deltas,
    report,
    listQuestions,
    async find(runId) {
      const started = await beginningOf(finder, runId)
      registryHere(registry, started)
      return started.agent
    },
  })
  const resume = async (runId: string, options: RestateResumeOptions = {}): Promise<RemoteRun> => {
    const asked = readOptions<RestateResumeOptions>(options, `${where}: resume`, resumeFields)
    assertTrace(asked, `${where}: resume`)
    const trace = traceIn(asked)
    const run = handle(runId, await find(runId))
    if (trace !== undefined) await run.trace(trace)
    return run
  }
  const tell = (runId: string, make: () => RunSignal): Promise<void> =>
    ReportedPromise.of(
      resume(runId).then((run) => run.signal(make())),
      (error) => report(undelivered(runId, error)),
    )
  const journals = async (run: string | RunExport): Promise<RunJournals> =>
    typeof run === 'string'
      ? journalsIn(ingress, run, (await beginningOf(finder, run)).agent)
      : journalsOf(run)
  const exported = async (run: string | RunExport): Promise<RunExport> => {
    if (typeof run !== 'string') return run
    const found = await journals(run)
    return admin === undefined
      ? exportRun(registry, found)
      : readJournals(ingress, run, found.agent, await workflowsOf(admin, namespace, run))
  }

  const putFiles = async (
    { started: { runId }, blobs = [], isIdChosen = false }: RunSpec,
    timeout: number,
  ): Promise<void> => {
    const { clock } = systemEnvironment
    const kept = { holder: { runId }, blobs, storage: store?.blobs, isIdChosen }
    const files = new PromptFiles({ ...kept, clock, timeout, report })
    await files.put().catch((error: unknown) => {
      throw filesRefused(runId, error)
    })
  }

  const trail = async (run: string | RunExport): Promise<Trail> =>
    trailOf(registry, await journals(run), () => journals(run), report)

  const start = async (
    agent: AgentDefinition,
    prompt: Prompt,
    options: CallOptions = {},
  ): Promise<RestateRun> => {
    assertRegistered(registry, agent)
    const beginning = createRun(agent, prompt, options, true, {
      registry,
      selectors,
      now: systemEnvironment.clock.now(),
      newId: () => systemEnvironment.newId(),
      hasBlobs: store?.blobs !== undefined,
      hasMemory: store === undefined || store.memory !== undefined, // without a store here, the workers know
    })
    const { started, signal } = beginning
    const taken = registry.versionOf(agent.id, started.version)
    assertDurable(taken, beginning)
    const { runId } = started
    await putFiles(beginning, hookTimeoutOf(taken.settings, started.settings))
    const run = handle(runId, taken)
    const isNew = await ingress.submit({ runId, agent: agent.id, path: agent.id }, { started })
    if (!isNew && beginning.isIdChosen === true) throw new RunExistsError(runId)
    heedAbort(run, signal, report)
    if (admin !== undefined) await untilListed(admin, namespace, started, pollInterval)
    return run
  }

  return {
    start: start as RestateTroupe['start'],
    resume,
    signal: (runId, signal) => tell(runId, () => signal),
    cancel: (runId, reason, options) => tell(runId, () => cancelSignal(reason, options)),
    watch: (runId, options) => watches.watch(runId, options),
    journal: exported,
    history: async (run) => (await exported(run)).parts.flatMap(({ turns }) => historyOf(turns.flat())),
    replay: async (run, options) => replayRun(registry, await journals(run), readReplay(options), report),
    trail,
    charts: () => chartsOf(registry, [remoteAgentMachine()]),
    runs: async (filter) => listRuns(needed(), namespace, readRestateFilter(filter)),
    awaiting: async (filter) => questionsOf(needed(), namespace, readRestateQuestions(filter)),
    stats: async (options) =>
      restateStats(needed(), namespace, systemEnvironment.clock.now(), readStats(options)),
    async delete(runId) {
      await deleteRun(needed(), namespace, runId, async () => void (await store?.blobs?.release?.({ runId })))
    },
    ...storeOf(store, registry),
  }
}

function storeOf(
  store: RestateTroupeConfig['store'],
  registry: AgentRegistry,
): Partial<Pick<RestateTroupeWithStore, 'memory' | 'blobs' | 'config'>> {
  return store === undefined
    ? {}
    : {
        memory: strictMemory(store.memory, store.blobs),
        blobs: blobsOf(store.blobs),
        config: troupeConfiguration(store.config, registry),
      }
}

function heedAbort(run: RestateRun, signal: AbortSignal | undefined, report: Reporter): void {
  if (signal === undefined) return
  const onAbort = (): void => {
    const reason: unknown = signal.reason
    const text = reason == null ? 'aborted' : toErrorData(reason).message
    run.cancel(text).catch((error: unknown) => {
      const { id: runId } = run
      report({
        message: `the run "${runId}" could not be cancelled`,
        code: 'SIGNAL_NOT_TAKEN',
        where: 'signal',
        error,
        runId,
      })
    })
  }
  if (signal.aborted) onAbort()
  else signal.addEventListener('abort', onAbort, { once: true })
}
