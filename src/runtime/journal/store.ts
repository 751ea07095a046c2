/**
 * The store of a troupe, for all state that must outlive a process: the journals of its runs, their owners, the signals
 * sent to them, threads and working memory, and configuration. One interface, in memory and in SQLite.
 */
import type { BlobStorage } from '../files/blob-storage.ts'
import type { Census, CensusOptions } from './census.ts'
import type { ConfigStorage } from './config-storage.ts'
import type { JournalEntry } from './journal.ts'
import type { LedgerSpending, LedgerStorage } from '../tenants/ledger-storage.ts'
import type { MemoryStorage } from './memory-storage.ts'
import type {
  Expiry,
  OpenQuestion,
  Page,
  QuestionChange,
  QuestionFilter,
  RunFilter,
  RunSummary,
} from './run-index.ts'
import type { RunSignal } from '../handle/run.ts'
import type { ScheduleStorage } from './schedule-storage.ts'

export type Awaitable<T> = T | Promise<T>

/**
 * The right of an owner to write the journal of a run. The token grows by one with every claim, so that the appends of
 * a former owner can be recognised and refused, however late they come.
 */
export interface Lease {
  readonly runId: string
  /** Names one troupe in one process. */
  readonly owner: string
  /** From 1. */
  readonly token: number
  /** Milliseconds since 1970. From then on any owner may claim the run. */
  readonly expiresAt: number
}

/** How many claims of a lease that ran out, without an entry or a release, it takes until a run is left. */
export const lapsesUntilLeft = 3

/** A new expiry of a lease. */
export interface LeaseChange extends Lease {
  /** The new expiry. 0: the owner releases the run. */
  readonly expiresAt: number
  /** The run is released as one that waits for a signal, or for `wakeAt`. */
  readonly passivated?: { readonly wakeAt?: number }
}

/** A lease, and the state of the run when it was claimed. */
export interface Claimed extends Lease {
  /** The run was passivated, and is to be released as such by an owner that does not go on with it. */
  readonly wasPassivated?: { readonly wakeAt?: number }
}

/**
 * An entry to append to the journal of a run, a change of its open questions in the index, the end of a queued signal, or
 * several of these. All of it is JSON.
 */
export interface JournalAppend {
  readonly runId: string
  /** Absent: the journal stays as it is. Such an append is fenced as any other, while the run goes on. */
  readonly entry?: JournalEntry
  /** The right to append. With `run.started`, which begins a journal, it is the first lease and is kept with it. */
  readonly lease: Lease
  /**
   * The id of a queued signal, which is removed once the append is kept, and not before. With an entry: the entry comes
   * from it. With neither an entry nor questions: the run refuses the signal, and frees the call that it has claimed;
   * accepted answers do not keep such an append from its end. A signal of a run that has ended goes under any lease: nobody
   * owns such a run any more.
   */
  readonly queued?: number
  /** Changes the index together with the entry. With `run.settled` the store removes all questions of the run. */
  readonly questions?: QuestionChange
  /** What the call of the entry has used of the budget of its tenant: the ledger has it with the entry, and not without. */
  readonly spent?: LedgerSpending
}

/** A signal that waits for the owner of a run. */
export interface QueuedSignal {
  /** Unique in the store, also among those that were removed. */
  readonly id: number
  readonly runId: string
  readonly signal: RunSignal
  /** The effect key of the held call that this answer has claimed. */
  readonly claim?: string
}

/** The held call that an answer claims: accepted once by run and key, and only against the journal that was read. */
export interface SignalClaim {
  /** The effect key of the call. */
  readonly key: string
  /** How many entries the journal had when the call was found held. */
  readonly entries: number
}

/**
 * `accepted`: the signal is queued. `claimed`: another queued answer has claimed the call. `outdated`: the journal has
 * another number of entries, or there is no such run. Only the first changes anything.
 */
export type EnqueueOutcome = 'accepted' | 'claimed' | 'outdated'

/** The runs of which an append kept nothing. It kept the entries of all other runs. */
export interface AppendReport {
  /** The runs whose lease another owner has taken. */
  readonly lost: readonly string[]
  /** Accepted answers that none of the entries comes from: they precede these entries. Default: none. */
  readonly answered?: readonly QueuedSignal[]
  /** The runs that refuse their entries, and why: a run whose key is gone keeps no other from its append. Default: none. */
  readonly refused?: readonly { readonly runId: string; readonly error: unknown }[]
}

/**
 * `deleted`: the run was ended, and is gone. `unfinished`: it has not ended, and nothing was deleted. `unknown`: there is
 * no such run.
 */
export type DeleteOutcome = 'deleted' | 'unfinished' | 'unknown'

/** Receives the id of a run and its change: entries were appended, or a signal was queued. Its result is ignored. */
export type StoreListener = (runId: string, change: 'entries' | 'signals') => unknown

/** The lists of a store, by name: the filter that chooses items, and an item. */
export interface StoreLists {
  /** The runs, by the time at which they began. */
  readonly runs: { readonly filter: RunFilter; readonly item: RunSummary }
  /** The open questions of all runs, by the time at which they came into the index. */
  readonly questions: { readonly filter: QuestionFilter; readonly item: OpenQuestion }
  /**
   * The signals that wait for the owners of these runs, in the order of `runIds`, oldest first. A run that is named twice
   * counts once. Each signal stays until an append names it as `queued`.
   */
  readonly signals: { readonly filter: SignalFilter; readonly item: QueuedSignal }
  /** The ids of settled runs for a retention, in the order in which they were last changed. */
  readonly endedRuns: { readonly filter: Expiry; readonly item: string }
  /** The ids of threads for a retention, in that order; not those that an unfinished run begins with. */
  readonly unusedThreads: { readonly filter: Expiry; readonly item: string }
}

/** The names of the lists of a store. */
export type StoreListName = keyof StoreLists

/** A function for each list. */
export type StoreListReaders = {
  readonly [Name in StoreListName]: (
    filter: StoreLists[Name]['filter'],
  ) => Awaitable<Page<StoreLists[Name]['item']>>
}

/** Chooses queued signals. */
export interface SignalFilter {
  readonly runIds: readonly string[]
}

/**
 * Journals, their index, their owners and the signals that wait for them. `storeContract` of `troupe/testing` checks a
 * store against these rules. Ids, names and texts may hold any character, also NUL and half of a surrogate pair. Times
 * may be fractions.
 */
export interface RunStore {
  /**
   * Appends in this order; kept entries are durable when it returns, or resolves. It keeps all, except those of runs
   * whose lease is not the newest one, and of runs for which an answer was accepted that none of the entries comes from
   * (it reports both), or, when it throws or rejects, nothing at all. A run is also lost that has no journal and does not
   * begin with `run.started`, that has one and begins again, or that is appended to under two leases at once. A
   * `run.settled` releases the threads that the run has claimed. Entries may follow it.
   */
  append(appends: readonly JournalAppend[]): Awaitable<AppendReport | void>
  /**
   * Calls back, once, when the entries gathered by then are to be passed to `append`. Default: at the next microtask. A
   * store whose commits are expensive lets the turn of the event loop end first: all its entries are one append.
   */
  schedule?(flush: () => void): void
  /**
   * The journal of a run from entry `from` (default 0) on; none from its end on; `undefined` when there is no such run.
   */
  read(runId: string, from?: number): Promise<readonly JournalEntry[] | undefined>
  /** A page of a list. Reads no journal. */
  list<Name extends StoreListName>(
    name: Name,
    filter: StoreLists[Name]['filter'],
  ): Promise<Page<StoreLists[Name]['item']>>
  /**
   * Counts unfinished runs and open questions, and ended runs where it is asked to. Reads no journal: its cost grows with the
   * number of what it counts. Absent: `troupe.stats` is refused.
   */
  census?(options: CensusOptions): Promise<Census>
  /**
   * Deletes a run that is settled: its journal, its place in the index, its signals, its lease, and each blob that only
   * its journal names, in one transaction. Appends of a late outcome are then lost. Threads and forks stay. An id is
   * free afterwards. `atOnce`: also the bytes that a caller has put of late go, where nothing else names them. Default: they
   * stay for a while.
   */
  delete(runId: string, atOnce?: boolean): Promise<DeleteOutcome>
  /**
   * Claims a run whose lease has expired at `now`, was released, is the owner's own, or expires after `farthest`: such
   * a lease was dated by a wrong clock. The new lease has the next token, and the run is no longer passivated.
   * `undefined`: another owner holds the lease, or there is no such run. `farthest` defaults to no limit.
   *
   * The store counts a claim as a lapse where another owner had the lease, and did not release it. The count begins again
   * with an entry and with a release. A run of three lapses is left from the next expiry on: with `unlessLeft` an
   * unfinished run that is left is not claimed either. Default: `false`, it is claimed.
   */
  claim(
    runId: string,
    owner: string,
    now: number,
    expiresAt: number,
    farthest?: number,
    unlessLeft?: boolean,
  ): Promise<Claimed | undefined>
  /**
   * Sets the new expiry of each lease: it renews the lease, or releases the run. A lease that is not the newest changes
   * nothing. Gives the ids of the runs that another owner has taken meanwhile, and of unknown ones.
   */
  renew(leases: readonly LeaseChange[]): Promise<readonly string[]>
  /**
   * Queues a signal for the owner of the run. With `claim` the check and the insertion are one transaction; without,
   * the signal is accepted whenever there is such a run.
   */
  enqueueSignal(runId: string, signal: RunSignal, claim?: SignalClaim): Promise<EnqueueOutcome>
  /**
   * Calls back when the journal of a run has grown or a signal was queued for it, also in another process. It may do so
   * late, too often, and may miss a change: callers poll as well. An error of a listener is reported, and keeps the change
   * from no other listener. Returns a function that ends this. Default: polling alone.
   */
  subscribe?(listener: StoreListener): () => void
}

/** The store of a troupe: runs, and ports beside them. What needs a port that is absent is refused with `STORE_LACKS_PORT`. */
export interface Store extends RunStore {
  /** Threads and working memory. Without it an agent with `memory` is refused. */
  readonly memory?: MemoryStorage | undefined
  /** Items that may change while the troupe runs. Without it there are none, and `troupe.config` is refused. */
  readonly config?: ConfigStorage | undefined
  /** The bytes of files. Without it a prompt or a tool result with a file is refused. */
  readonly blobs?: BlobStorage
  /** What tenants have used. Without it `createTroupe({ tenants })` is refused. */
  readonly ledger?: LedgerStorage | undefined
  /** The schedules that start runs. Without it `troupe.schedule` is refused. */
  readonly schedules?: ScheduleStorage
  /**
   * What is kept of an entry: asked at once before each append, and the run goes on with the answer. An error of it refuses the
   * entry. Default: all.
   */
  readonly redact?: (<Entry extends JournalEntry>(entry: Entry) => Entry) | undefined
  /**
   * Writes the tables anew without what was deleted, and gives its room back; it returns when no file of the store has a part of
   * it. Absent: the store keeps nothing that was deleted, or cannot do so.
   */
  compact?(): Promise<void>
  /** Releases files and threads. Later calls reject. Default: nothing to close. */
  close?(): Promise<void>
}

/** A store with all ports. */
export interface WholeStore extends Store {
  readonly memory: MemoryStorage
  readonly config: ConfigStorage
  readonly blobs: BlobStorage
  readonly ledger: LedgerStorage
  readonly schedules: ScheduleStorage
}

/** The lease that a new run begins with. */
export function firstLease(runId: string, owner = 'self', expiresAt = Number.MAX_SAFE_INTEGER): Lease {
  return { runId, owner, token: 1, expiresAt }
}

/** The change that releases the run of a lease. */
export function released(
  { runId, owner, token }: Lease,
  passivated?: LeaseChange['passivated'],
): LeaseChange {
  return { runId, owner, token, expiresAt: 0, ...(passivated === undefined ? {} : { passivated }) }
}
