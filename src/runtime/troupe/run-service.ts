/** The runs of any engine, as adapters and pages use them: whatever shows or serves runs takes this type. */
import { aCount } from '../../actors/strict/checks.ts'
import { optional, readOptions, type Fields } from '../../actors/strict/read-options.ts'
import { RunNotEndedError, RunNotFoundError } from '../../errors.ts'
import type { Chart } from '../../actors/charts/chart.ts'
import type { CancelRunOptions, Run, RunSignal } from '../handle/run.ts'
import type { JournalEntry } from '../journal/journal.ts'
import type {
  OpenQuestion,
  Page,
  PageOptions,
  QuestionFilter,
  RunFilter,
  RunSummary,
} from '../journal/run-index.ts'
import type { DeleteOutcome, StoreListener } from '../journal/store.ts'
import type { HealthOptions, TroupeHealth } from '../health/health.ts'
import type { RunStats, StatsOptions } from '../health/stats.ts'
import type { TroupePhase } from '../troupe-phase.ts'
import type { ForkRunOptions } from '../options/resume-options.ts'
import type { ForkOptions } from '../replay/fork.ts'
import type { HistoryEntry } from '../replay/history.ts'
import type { Replay } from '../replay/replay-contract.ts'
import type { RunWatch, WatchOptions } from '../watch/run-watch.ts'
import type { EraseOptions, Erasure } from '../ending/erasure-report.ts'
import type { Trail, TrailOptions } from '../trail/trail.ts'

/** A run as every engine lists it. */
export interface ListedRun
  extends
    Pick<
      RunSummary,
      'runId' | 'agent' | 'threadId' | 'resourceId' | 'conversationId' | 'startedAt' | 'awaiting'
    >,
    /** On Restate absent before the first model call has ended, and for runs of releases before this one. */
    Partial<
      Pick<
        RunSummary,
        | 'outcome'
        | 'code'
        | 'task'
        | 'entries'
        | 'usage'
        | 'updatedAt'
        | 'endedAt'
        | 'duration'
        | 'forkedFrom'
        | 'leftAt'
      >
    > {
  /** In the terms of the engine: those of `RunSummary`, or those of Restate. */
  readonly status: string
}

/** The words of the engines for an ended run: `settled`, and on Restate `completed`. */
const ended: readonly string[] = ['settled', 'completed']

/** Whether a listed run has ended, on any engine. */
export function hasEnded({ status }: Pick<ListedRun, 'status'>): boolean {
  return ended.includes(status)
}

/** The options of `journal`. */
export interface JournalOptions {
  /** The position of the first entry to return; none are returned from the end of the journal on. Default: 0. */
  readonly from?: number
}

const journalFields: Fields<JournalOptions> = { from: optional(aCount) }

/** Throws a `ConfigurationError`. */
export function readJournalOptions(given: JournalOptions = {}): JournalOptions {
  return readOptions<JournalOptions>(given, 'journal', journalFields)
}

/** Throws a `RunNotEndedError`, and a `RunNotFoundError`. */
export function assertDeleted(outcome: DeleteOutcome, runId: string): void {
  switch (outcome) {
    case 'deleted':
      return
    case 'unfinished':
      throw new RunNotEndedError(runId)
    case 'unknown':
      throw new RunNotFoundError(runId)
  }
}

/** The journals of a run whose agents have a journal each, as on Restate. */
export interface JournalParts {
  readonly parts: readonly {
    /** The owner of the journal: ids of the actors from the root agent to it, joined with "/". */
    readonly path: string
    /** Journal entries, by the turns in which they were delivered. */
    readonly turns: readonly (readonly JournalEntry[])[]
  }[]
}

/**
 * The runs of a troupe, on any engine: a `Troupe` and a `RestateTroupe` are of this type. A method that only one engine
 * has is optional here, and absent from the type of the other.
 */
export interface RunService {
  /** A page of the runs that the engine has. */
  runs(
    filter?: PageOptions & Pick<RunFilter, 'runId' | 'agent' | 'resourceId' | 'threadId' | 'conversationId'>,
  ): Promise<Page<ListedRun>>
  /** A page of the questions that wait for an answer. */
  awaiting(
    filter?: PageOptions &
      Pick<QuestionFilter, 'runId' | 'type' | 'agent' | 'resourceId' | 'threadId' | 'conversationId'>,
  ): Promise<Page<OpenQuestion>>
  /** Deletes a run that has ended. Rejects with a `RunNotEndedError` and a `RunNotFoundError`. */
  delete(runId: string): Promise<void>
  /**
   * Returns the journal of a run: its entries, from the entry `from` on where that is given, or all its parts. Rejects with
   * a `RunNotFoundError`.
   */
  journal(runId: string, options?: JournalOptions): Promise<readonly JournalEntry[] | JournalParts>
  /** Returns the journal in readable form. Rejects with a `RunNotFoundError`. */
  history(runId: string): Promise<readonly HistoryEntry[]>
  /** The events and the text of a run, from the first event on or from behind a cursor, without taking the run. */
  watch(runId: string, options?: WatchOptions): RunWatch
  /** Replays a run from its journal alone: no effect is performed. Rejects with a `RunNotFoundError`. */
  replay(runId: string): Promise<Omit<Replay, 'actors'>>
  /**
   * Replays a run, and tells of each journal entry what it led to. On Restate all journals are replayed at once, whatever the
   * `limit`. Rejects with a `RunNotFoundError`.
   */
  trail(runId: string, options?: TrailOptions): Promise<Trail>
  /** Returns the charts of the agents, and of the machines below them, as data. */
  charts(): readonly Chart[]
  /** Delivers a signal to a run, wherever it is. Rejects with a `SignalError` where the run does not wait for it. */
  signal(runId: string, signal: RunSignal): Promise<void>
  /**
   * As `signal` with a cancel: of the run, or of one delegation. Throws a `ConfigurationError` for `force` on Restate, which
   * ends no run by force.
   */
  cancel(runId: string, reason?: string, options?: CancelRunOptions): Promise<void>
  /**
   * Calls back when the journal of a run has grown, or a signal was queued for it, as far as the store tells. Returns the
   * function that ends this. Absent on Restate.
   */
  subscribe?(listener: StoreListener): () => void
  /** Whether it takes runs (`open`), is `draining`, or was `closed`. Absent on Restate. */
  readonly phase?: TroupePhase
  /**
   * Counts runs and open questions, and what is overdue, without a name of any. Rejects with a `ConfigurationError` of the code
   * `STORE_LACKS_PORT` where the store cannot count. On Restate it has runs and questions alone, and needs `admin`.
   */
  stats?(options?: StatsOptions): Promise<RunStats>
  /** Whether the troupe is well. Resolves in any case. Absent on Restate, which has health checks of its own. */
  health?(options?: HealthOptions): Promise<TroupeHealth>
  /** Erases all of a resource: runs, threads and notes. Absent on Restate, which has no list of what comes from a run. */
  eraseResource?(resourceId: string, options?: EraseOptions): Promise<Erasure>
  /** Starts a run that shares the first entries of another. Absent on Restate. */
  fork?(runId: string, fork: ForkOptions, options?: ForkRunOptions): Promise<Run>
}
