/**
 * Where a troupe keeps what must outlive a process: the journals of its runs, who owns them, what was sent to them,
 * threads and working memory, and configuration. One interface, in memory and in SQLite.
 */
import { aText, oneOf } from '../../actors/strict/checks.ts'
import { optional, readOptions, type Fields } from '../../actors/strict/read-options.ts'
import type { ConfigStorage } from './config-storage.ts'
import type { JournalEntry } from './journal.ts'
import type { MemoryStorage } from './memory-storage.ts'
import type { RunSignal } from '../handle/run.ts'

type Awaitable<T> = T | Promise<T>

/**
 * Who may write the journal of a run. The token grows by one with every taker, so that what a former owner still
 * sends can be told apart and refused, however late it comes.
 */
export interface Lease {
  readonly runId: string
  /** Names one troupe in one process. */
  readonly owner: string
  /** From 1. */
  readonly token: number
  /** Milliseconds since 1970. From then on anybody may take the run. */
  readonly expiresAt: number
}

/** A lease, and how the run was when it was taken. */
export interface Claimed extends Lease {
  /** It was parked, and is to be released as such by an owner that does not go on with it. */
  readonly wasParked?: { readonly wakeAt?: number }
}

export interface JournalAppend {
  readonly runId: string
  readonly entry: JournalEntry
  /** The right to append. With `run.started`, which begins a journal, it is the first lease and is kept with it. */
  readonly lease: Lease
  /** The id of the queued signal that this entry comes from: it is gone once the entry is kept, and not before. */
  readonly queued?: number
}

/** A signal that waits for the owner of a run. */
export interface QueuedSignal {
  /** Unique in the store, also among those that are gone. */
  readonly id: number
  readonly runId: string
  readonly signal: RunSignal
  /** The effect key of the question that this answer has claimed. */
  readonly claim?: string
}

/** The question that an answer claims: accepted once by run and key, and only against the journal that was read. */
export interface SignalClaim {
  /** The effect key of the question. */
  readonly key: string
  /** How many entries the journal had when the question was found open. */
  readonly entries: number
}

/**
 * `accepted`: the signal is queued. `claimed`: another queued answer has the question. `outdated`: the journal has
 * another number of entries, or there is no such run. Only the first changes anything.
 */
export type EnqueueOutcome = 'accepted' | 'claimed' | 'outdated'

/** What was not kept of an append. Nothing of the runs that it names was kept; all else was. */
export interface AppendReport {
  /** The runs whose lease another has taken. */
  readonly lost: readonly string[]
  /** Accepted answers that none of the entries comes from: they stand before these entries. Default: none. */
  readonly answered?: readonly QueuedSignal[]
}

/** What is known of a run without reading its journal. */
export interface RunSummary {
  readonly runId: string
  /** The id of its root agent. */
  readonly agent: string
  readonly conversationId?: string
  /** `running`: unfinished, whether or not a process works on it. `suspended`: unfinished and parked. */
  readonly status: 'running' | 'suspended' | 'settled'
  /** Set once it is settled. */
  readonly outcome?: string
  /** The run that it was forked from. */
  readonly forkedFrom?: string
  /** Number of journal entries. */
  readonly entries: number
  /** Logical time of the first and the last entry, milliseconds since 1970. */
  readonly startedAt: number
  readonly updatedAt: number
  /** Of a parked run: when it must be revived at the latest, because a timer is due. */
  readonly wakeAt?: number
}

export interface RunFilter {
  readonly status?: RunSummary['status'] | 'unfinished'
  readonly agent?: string
  readonly conversationId?: string
}

const filterFields: Fields<RunFilter> = {
  status: optional(oneOf('running', 'suspended', 'settled', 'unfinished')),
  agent: optional(aText),
  conversationId: optional(aText),
}

/** Throws a `ConfigurationError`: a misspelt filter must not list the runs of everybody. */
export function readFilter(given: RunFilter = {}): RunFilter {
  return readOptions<RunFilter>(given, 'runs', filterFields)
}

/** Journals, their index, their owners and the signals that wait for them. */
export interface RunStore {
  /**
   * Appends in this order; what it has taken is durable when it returns, or resolves. It keeps all, except for runs
   * whose lease is not the newest one, and runs for which an answer was accepted that none of the entries comes from
   * (it names both), or, when it throws or rejects, nothing at all.
   */
  append(appends: readonly JournalAppend[]): Awaitable<AppendReport | void>
  /**
   * Calls back, once, when what was gathered by then is to be handed to `append`. Default: at the next microtask. A
   * store whose commits are dear lets the turn of the event loop end first, so that all that arrives in it is one.
   */
  schedule?(flush: () => void): void
  /** The journal of a run from entry `from` (default 0) on, `undefined` when there is no such run. */
  read(runId: string, from?: number): Promise<readonly JournalEntry[] | undefined>
  /** The runs, oldest first. */
  list(filter?: RunFilter): Promise<readonly RunSummary[]>
  /**
   * Takes a run whose lease has expired at `now`, was released, is the owner's own, or expires after `farthest`: such a
   * lease was dated by a clock that was wrong. `undefined`: it is taken, or there is no such run. `farthest` defaults to
   * no limit.
   */
  claim(
    runId: string,
    owner: string,
    now: number,
    expiresAt: number,
    farthest?: number,
  ): Promise<Claimed | undefined>
  /** Puts off the expiry. Gives the ids of the runs that another has taken meanwhile. */
  renew(leases: readonly Lease[], expiresAt: number): Promise<readonly string[]>
  /** Gives runs back. A parked one waits for a signal, or for `wakeAt`. A lease that is not the newest is ignored. */
  release(leases: readonly (Lease & { readonly parked?: { readonly wakeAt?: number } })[]): Promise<void>
  /**
   * Queues a signal for the owner of the run. With `claim` the check and the insertion are one transaction; without,
   * the signal is accepted whenever there is such a run.
   */
  enqueueSignal(runId: string, signal: RunSignal, claim?: SignalClaim): Promise<EnqueueOutcome>
  /** The signals of these runs, in the order of their ids, oldest first. Each stays until it is appended or dropped. */
  queuedSignals(runIds: readonly string[]): Promise<readonly QueuedSignal[]>
  /** Removes signals that the run refuses, and frees what they have claimed. Unknown ids are ignored. */
  dropSignals(ids: readonly number[]): Promise<void>
}

/** Everything that a troupe keeps. */
export interface Store extends RunStore {
  readonly memory: MemoryStorage
  readonly config: ConfigStorage
  /** Gives up files and threads. What follows rejects. Default: nothing to close. */
  close?(): Promise<void>
}

/** The lease that a new run begins with. */
export function firstLease(runId: string, owner = 'self', expiresAt = Number.MAX_SAFE_INTEGER): Lease {
  return { runId, owner, token: 1, expiresAt }
}

/** What gives a run back as it was when it was claimed. */
export function asClaimed({
  wasParked,
  ...lease
}: Claimed): Lease & { readonly parked?: Claimed['wasParked'] } {
  return wasParked === undefined ? lease : { ...lease, parked: wasParked }
}
