/** Journals in memory, with their index, their owners and the signals that wait for them. */
import { SparseMap, SparseSet } from '../../../actors/values/sparse.ts'
import { blobRefsIn } from '../../files/blob-refs.ts'
import type { RunSignal } from '../../handle/run.ts'
import type { Census, CensusOptions } from '../census.ts'
import type { ChangeListeners } from '../change-listeners.ts'
import type { JournalEntry } from '../journal.ts'
import { runPlace, type Expiry, type Page, type QuestionFilter, type RunFilter } from '../run-index.ts'
import { lapsesOf, leftOf, listedQuestion } from '../run-summary.ts'
import type {
  AppendReport,
  Claimed,
  DeleteOutcome,
  EnqueueOutcome,
  JournalAppend,
  Lease,
  LeaseChange,
  QueuedSignal,
  SignalClaim,
  StoreListReaders,
} from '../store.ts'
import type { MemoryLedger } from './ledger.ts'
import type { MemoryBlobs } from './blobs.ts'
import { censusOf } from './census.ts'
import { EndedRuns } from './ended-runs.ts'
import { expiredOf } from './expired.ts'
import { asksFor, matchesRun, sortNumber } from './filters.ts'
import { firstAfter, pageIn, sortedPage } from './pages.ts'
import {
  addEntry,
  changeQuestions,
  lapseFacts,
  newRun,
  summaryOf,
  updatedAt,
  type StoredRun,
} from './stored-run.ts'
import { soon } from '../../../actors/values/order.ts'

export interface MemoryRunsOptions {
  readonly blobs: MemoryBlobs
  readonly ledger: Pick<MemoryLedger, 'spend' | 'ended'>
  /** How many ended runs stay. */
  readonly endedRuns: number
  readonly listeners: ChangeListeners
  readonly releaseClaims: (runId: string) => void
  readonly unusedThreads: (expiry: Expiry) => Page<string>
}

const noSignals: readonly QueuedSignal[] = []

export class MemoryRuns {
  readonly #options: MemoryRunsOptions
  readonly #runs = new Map<string, StoredRun>()
  /** In the order of their positions. */
  readonly #ordered: StoredRun[] = []
  readonly #asking = new Set<StoredRun>()
  readonly #ended: EndedRuns
  #begun = 0
  #asked = 0
  #queued = 0

  constructor(options: MemoryRunsOptions) {
    this.#options = options
    this.#ended = new EndedRuns(options.endedRuns)
  }

  readonly lists: StoreListReaders = {
    runs: (filter) => this.#summaries(filter),
    questions: (filter) => this.#questions(filter),
    signals: ({ runIds }) => ({
      items: Array.from(new Set(runIds)).flatMap((runId) => this.#runs.get(runId)?.queue ?? []),
    }),
    endedRuns: (expiry) => {
      const settled = this.#ordered.filter(({ outcome }) => outcome !== undefined)
      return expiredOf(
        settled.map((run) => ({ id: run.runId, updatedAt: updatedAt(run) })),
        expiry,
      )
    },
    unusedThreads: (expiry) => this.#options.unusedThreads(expiry),
  }

  append(appends: readonly JournalAppend[]): AppendReport | undefined {
    const lost = this.#lostIn(appends)
    const answered = this.#unheard(appends, lost)
    const refused = new SparseSet<string>()
    for (const runId of lost) refused.add(runId)
    for (const { runId } of answered) refused.add(runId)
    for (const append of appends) if (!refused.has(append.runId)) this.#keep(append)
    this.#tellEntries(appends)
    return lost.size + answered.length === 0
      ? undefined
      : { lost: [...lost], ...(answered.length > 0 && { answered }) }
  }

  read(runId: string, from = 0): readonly JournalEntry[] | undefined {
    return this.#runs.get(runId)?.entries.slice(from)
  }

  census(options: CensusOptions): Census {
    return censusOf(this.#ordered, options)
  }

  delete(runId: string, atOnce?: boolean): DeleteOutcome {
    const run = this.#runs.get(runId)
    if (run === undefined) return 'unknown'
    if (run.outcome === undefined) return 'unfinished'
    this.#remove(run, atOnce)
    this.#ended.remove(runId)
    return 'deleted'
  }

  claim(
    runId: string,
    owner: string,
    now: number,
    expiresAt: number,
    farthest = Number.POSITIVE_INFINITY,
    unlessLeft = false,
  ): Claimed | undefined {
    const run = this.#runs.get(runId)
    if (run === undefined) return undefined
    const { lease, passivated: wasPassivated } = run
    const isOfOther = lease.owner !== owner
    if (isOfOther && lease.expiresAt > now && lease.expiresAt <= farthest) return undefined
    const facts = lapseFacts(run)
    if (unlessLeft && isOfOther && leftOf(facts).leftAt !== undefined) return undefined
    run.lapses = lapsesOf(facts) + (isOfOther && lease.expiresAt > 0 ? 1 : 0)
    run.lapsedAt = run.entries.length
    run.lease = { runId, owner, token: lease.token + 1, expiresAt }
    run.passivated = undefined
    return wasPassivated === undefined ? run.lease : { ...run.lease, wasPassivated }
  }

  renew(leases: readonly LeaseChange[]): readonly string[] {
    return leases.flatMap(({ passivated, ...lease }) => {
      const run = this.#runs.get(lease.runId)
      if (run?.lease.token !== lease.token) return [lease.runId]
      run.lease = { ...run.lease, expiresAt: lease.expiresAt }
      if (lease.expiresAt === 0) run.passivated = passivated
      return []
    })
  }

  enqueueSignal(runId: string, signal: RunSignal, claim?: SignalClaim): EnqueueOutcome {
    const run = this.#runs.get(runId)
    if (run === undefined) return 'outdated'
    if (claim !== undefined) {
      if (run.queue.some((other) => other.claim === claim.key)) return 'claimed'
      if (run.entries.length !== claim.entries) return 'outdated'
    }
    run.queue.push({ id: ++this.#queued, runId, signal, ...(claim && { claim: claim.key }) })
    soon(() => this.#options.listeners.tell(runId, 'signals'))
    return 'accepted'
  }

  /** The newest lease of a run that goes on. */
  leaseOf(runId: string): Lease | undefined {
    const run = this.#runs.get(runId)
    return run?.outcome === undefined ? run?.lease : undefined
  }

  hasRun(runId: string): boolean {
    return this.#runs.has(runId)
  }

  /** Whether an unfinished run began with the thread. */
  isInUse(threadId: string): boolean {
    return this.#ordered.some(({ outcome, facts }) => outcome === undefined && facts.threadId === threadId)
  }

  #summaries(filter: RunFilter): ReturnType<StoreListReaders['runs']> {
    const { runId } = filter
    const among = runId === undefined ? this.#ordered : [this.#runs.get(runId) ?? []].flat()
    const { limit, before, order } = filter
    const place = runPlace(filter)
    if (order === undefined || order === 'oldest' || order === 'newest') {
      const page = { ...(limit === undefined ? {} : { limit }), ...(before === undefined ? {} : { before }) }
      const fits = (run: StoredRun): boolean => matchesRun(run, filter)
      return pageIn(
        'runs',
        among,
        { ...page, ...(order === undefined ? {} : { order }) },
        { fits, item: summaryOf },
      )
    }
    return sortedPage(
      'runs',
      among.filter((run) => matchesRun(run, filter)),
      { limit, place, order },
      { number: (run) => sortNumber(run, order), item: summaryOf },
    )
  }

  #questions(filter: QuestionFilter): ReturnType<StoreListReaders['questions']> {
    const all = [...this.#asking].flatMap((run) =>
      [...run.questions.values()].flatMap(({ question, position }) =>
        asksFor(run, question, filter) ? [{ run, question, position }] : [],
      ),
    )
    const ordered = all.toSorted((a, b) => a.position - b.position)
    return pageIn('questions', ordered, filter, {
      item: ({ run, question }) => listedQuestion(question, lapseFacts(run)),
    })
  }

  /** The runs of another owner, those without a journal that none of these begins, and those that begin again. */
  #lostIn(appends: readonly JournalAppend[]): SparseSet<string> {
    const begins = new SparseMap<string, number>()
    const lost = new SparseSet<string>()
    for (const append of appends) {
      const { runId, entry, lease } = append
      if (!changesRun(append) && this.#runs.get(runId)?.outcome !== undefined) continue // nobody goes on with it
      const newest = this.#runs.get(runId)?.lease.token ?? begins.get(runId)
      if (newest === undefined && entry?.type === 'run.started') begins.set(runId, lease.token)
      else if (newest !== lease.token || entry?.type === 'run.started') lost.add(runId)
    }
    return lost
  }

  /** The accepted answers of the runs appended to, but for those that these appends name. */
  #unheard(appends: readonly JournalAppend[], lost: SparseSet<string>): readonly QueuedSignal[] {
    const isAnyQueued = appends.some(({ runId }) => (this.#runs.get(runId)?.queue.length ?? 0) > 0)
    if (!isAnyQueued) return noSignals
    const changed = new Set(appends.flatMap((append) => (changesRun(append) ? append.runId : [])))
    return [...changed].flatMap((runId) =>
      lost.has(runId)
        ? []
        : (this.#runs.get(runId)?.queue ?? []).filter(
            ({ id, claim }) => claim !== undefined && !appends.some(({ queued }) => queued === id),
          ),
    )
  }

  #keep({ runId, entry, lease, queued, questions, spent }: JournalAppend): void {
    const run = this.#runs.get(runId) ?? (entry && this.#begin(runId, entry, lease))
    if (run === undefined) return // forgotten with an entry of this append
    if (entry !== undefined) this.#add(run, entry)
    if (spent !== undefined) this.#options.ledger.spend(runId, spent)
    if (questions !== undefined) {
      changeQuestions(run, questions, () => ++this.#asked)
      this.#noteAsking(run)
    }
    if (queued !== undefined) run.queue = run.queue.filter(({ id }) => id !== queued)
  }

  #begin(runId: string, entry: JournalEntry, lease: Lease): StoredRun | undefined {
    if (entry.type !== 'run.started') return undefined
    const run = newRun(entry, runId, lease, ++this.#begun)
    this.#runs.set(runId, run)
    this.#ordered.push(run)
    this.#options.blobs.begun({ runId })
    return run
  }

  #add(run: StoredRun, entry: JournalEntry): void {
    const { blobs, releaseClaims } = this.#options
    const { runId } = run
    const isEnd = addEntry(run, entry)
    if (!blobs.isEmpty()) blobs.holdNow(blobRefsIn(JSON.stringify(entry)), { runId })
    if (!isEnd) return
    this.#noteAsking(run)
    releaseClaims(runId)
    this.#options.ledger.ended(runId)
    const oldest = this.#ended.add(runId)
    const forgotten = oldest === undefined ? undefined : this.#runs.get(oldest)
    if (forgotten !== undefined) this.#remove(forgotten)
  }

  #noteAsking(run: StoredRun): void {
    if (run.questions.size === 0) this.#asking.delete(run)
    else this.#asking.add(run)
  }

  #remove(run: StoredRun, atOnce?: boolean): void {
    const { blobs, releaseClaims } = this.#options
    this.#runs.delete(run.runId)
    this.#ordered.splice(firstAfter(this.#ordered, run.position - 1), 1)
    blobs.releaseNow({ runId: run.runId }, atOnce)
    releaseClaims(run.runId) // a run that has ended may have read a thread since
  }

  /** No listener is called within an append. */
  #tellEntries(appends: readonly JournalAppend[]): void {
    const { listeners } = this.#options
    if (listeners.size === 0) return
    soon(() => {
      for (const runId of runsOf(appends)) listeners.tell(runId, 'entries')
    })
  }
}

/** Whether more than a signal of the run goes. */
function changesRun({ entry, questions }: JournalAppend): boolean {
  return entry !== undefined || questions !== undefined
}

/** Each run once. */
function runsOf(appends: readonly JournalAppend[]): Iterable<string> {
  const [first] = appends
  if (first !== undefined && appends.length === 1) return [first.runId]
  return new Set(appends.map(({ runId }) => runId))
}
