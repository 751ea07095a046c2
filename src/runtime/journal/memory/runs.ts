/** Journals in memory, with their index, their owners and the signals that wait for them. */
import { SparseMap, SparseSet } from '../../../actors/values/sparse.ts'
import { noUsage } from '../../../actors/usage.ts'
import { blobRefsIn } from '../../files/blob-refs.ts'
import { usageWith } from '../entry-usage.ts'
import type { JournalEntry } from '../journal.ts'
import { pageOf, positionOf, type ListName, type PageOptions, type RunSummary } from '../run-index.ts'
import {
  lapsesOf,
  leftOf,
  listedQuestion,
  startedColumns,
  statusOf,
  type LapseFacts,
} from '../run-summary.ts'
import type { JournalAppend, Lease, QueuedSignal, RunStore } from '../store.ts'
import type { MemoryBlobs } from './blobs.ts'
import { EndedRuns } from './ended-runs.ts'
import { expiredOf } from './expired.ts'
import { asksFor, matchesRun } from './filters.ts'
import type { StoredRun } from './stored-run.ts'

export interface MemoryRunsOptions {
  readonly blobs: MemoryBlobs
  /** How many ended runs stay. */
  readonly endedRuns: number
  readonly releaseClaims: (runId: string) => void
}

export interface MemoryRuns extends RunStore {
  readonly hasRun: (runId: string) => boolean
  /** Whether an unfinished run began with the thread. */
  readonly isInUse: (threadId: string) => boolean
}

const noSignals: readonly QueuedSignal[] = []

export function memoryRuns({ blobs, endedRuns, releaseClaims }: MemoryRunsOptions): MemoryRuns {
  const runs = new Map<string, StoredRun>()
  /** In the order of their positions. */
  const ordered: StoredRun[] = []
  const asking = new Set<StoredRun>()
  const ended = new EndedRuns(endedRuns)
  let begun = 0
  let asked = 0
  let queued = 0

  const isNewest = ({ runId, token }: Lease): boolean => runs.get(runId)?.lease.token === token

  /** The accepted answers of the runs appended to, but for those that these entries come from. */
  const unheard = (appends: readonly JournalAppend[], lost: SparseSet<string>): readonly QueuedSignal[] => {
    const isAnyQueued = appends.some(({ runId }) => (runs.get(runId)?.queue.length ?? 0) > 0)
    if (!isAnyQueued) return noSignals
    return [...new Set(appends.map(({ runId }) => runId))].flatMap((runId) =>
      lost.has(runId)
        ? []
        : (runs.get(runId)?.queue ?? []).filter(
            ({ id, claim }) => claim !== undefined && !appends.some(({ queued }) => queued === id),
          ),
    )
  }

  const begin = (runId: string, entry: JournalEntry, lease: Lease): StoredRun | undefined => {
    if (entry.type !== 'run.started') return undefined
    const run: StoredRun = {
      runId,
      position: ++begun,
      facts: startedColumns(entry),
      entries: [],
      lease,
      lapses: 0,
      lapsedAt: 0,
      outcome: undefined,
      usage: undefined,
      passivated: undefined,
      suspendedAt: undefined,
      queue: [],
      questions: new SparseMap(),
    }
    runs.set(runId, run)
    ordered.push(run)
    blobs.begun({ runId })
    return run
  }

  const remove = (run: StoredRun): void => {
    runs.delete(run.runId)
    ordered.splice(firstAfter(ordered, run.position - 1), 1)
    blobs.releaseNow({ runId: run.runId })
    releaseClaims(run.runId) // a run that has ended may have read a thread since
  }

  const addEntry = (run: StoredRun, entry: JournalEntry): void => {
    run.entries.push(entry)
    if (run.outcome === undefined) run.usage = usageWith(run.usage, entry)
    if (!blobs.isEmpty()) blobs.holdNow(blobRefsIn(JSON.stringify(entry)), { runId: run.runId })
    if (entry.type !== 'run.settled') return
    run.outcome = entry.outcome
    run.questions.clear()
    asking.delete(run)
    releaseClaims(run.runId)
    const oldest = ended.add(run.runId)
    const forgotten = oldest === undefined ? undefined : runs.get(oldest)
    if (forgotten !== undefined) remove(forgotten)
  }

  const changeQuestions = (
    run: StoredRun,
    { opened, closed, suspendedAt }: NonNullable<JournalAppend['questions']>,
  ): void => {
    run.suspendedAt = suspendedAt ?? run.suspendedAt
    const stays = new Set(opened.map(({ toolCallId }) => toolCallId))
    const gone = closed === 'others' ? [...run.questions.keys()].filter((id) => !stays.has(id)) : closed
    for (const id of gone) run.questions.delete(id)
    if (run.outcome !== undefined) return
    for (const question of opened) {
      const position = run.questions.get(question.toolCallId)?.position ?? ++asked
      run.questions.set(question.toolCallId, { position, question })
    }
    if (run.questions.size === 0) asking.delete(run)
    else asking.add(run)
  }

  return {
    append(appends) {
      const begins = new SparseMap<string, number>()
      const lost = new SparseSet<string>()
      for (const { runId, entry, lease } of appends) {
        const newest = runs.get(runId)?.lease.token ?? begins.get(runId)
        if (newest === undefined && entry?.type === 'run.started') begins.set(runId, lease.token)
        else if (newest !== lease.token || entry?.type === 'run.started') lost.add(runId)
      }
      const answered = unheard(appends, lost)
      const overtaken = new SparseSet<string>()
      for (const { runId } of answered) overtaken.add(runId)
      for (const { runId, entry, lease, queued: from, questions } of appends) {
        if (lost.has(runId) || overtaken.has(runId)) continue
        const run = runs.get(runId) ?? (entry && begin(runId, entry, lease))
        if (run === undefined) continue // forgotten with an entry of this append
        if (entry !== undefined) addEntry(run, entry)
        if (questions !== undefined) changeQuestions(run, questions)
        if (from !== undefined) run.queue = run.queue.filter(({ id }) => id !== from)
      }
      if (lost.size + answered.length > 0)
        return { lost: [...lost], ...(answered.length > 0 && { answered }) }
    },
    async read(runId, from = 0) {
      return runs.get(runId)?.entries.slice(from)
    },
    async list(filter = {}) {
      const among = filter.runId === undefined ? ordered : [runs.get(filter.runId) ?? []].flat()
      const found = walk('runs', among, filter, (run) => matchesRun(run, filter))
      return pageOf('runs', found, filter.limit, { item: summaryOf, position: (run) => run.position })
    },
    async awaiting(filter = {}) {
      const all = [...asking].flatMap((run) =>
        [...run.questions.values()].flatMap(({ question, position }) =>
          asksFor(run, question, filter) ? [{ run, question, position }] : [],
        ),
      )
      const found = walk(
        'questions',
        all.toSorted((a, b) => a.position - b.position),
        filter,
        () => true,
      )
      return pageOf('questions', found, filter.limit, {
        item: ({ run, question }) => listedQuestion(question, lapseFacts(run)),
        position: ({ position }) => position,
      })
    },
    async delete(runId) {
      const run = runs.get(runId)
      if (run === undefined) return 'unknown'
      if (run.outcome === undefined) return 'unfinished'
      remove(run)
      ended.remove(runId)
      return 'deleted'
    },
    async expired(expiry) {
      const settled = ordered.filter(({ outcome }) => outcome !== undefined)
      return expiredOf(
        settled.map((run) => ({ id: run.runId, updatedAt: updatedAt(run) })),
        expiry,
      )
    },
    async claim(runId, owner, now, expiresAt, farthest = Number.POSITIVE_INFINITY, unlessLeft = false) {
      const run = runs.get(runId)
      if (run === undefined) return undefined
      const { lease } = run
      const isHeld = lease.expiresAt > now && lease.expiresAt <= farthest
      if (lease.owner !== owner && isHeld) return undefined
      const isOfOther = lease.owner !== owner
      const facts = lapseFacts(run)
      if (unlessLeft && isOfOther && leftOf(facts).leftAt !== undefined) return undefined
      const wasPassivated = run.passivated
      run.lapses = lapsesOf(facts) + (isOfOther && lease.expiresAt > 0 ? 1 : 0)
      run.lapsedAt = run.entries.length
      run.lease = { runId, owner, token: lease.token + 1, expiresAt }
      run.passivated = undefined
      return wasPassivated === undefined ? run.lease : { ...run.lease, wasPassivated }
    },
    async renew(leases, expiresAt) {
      const lost = leases.filter((lease) => !isNewest(lease)).map((lease) => lease.runId)
      for (const lease of leases) {
        const run = runs.get(lease.runId)
        if (run !== undefined && isNewest(lease)) run.lease = { ...run.lease, expiresAt }
      }
      return lost
    },
    async release(leases) {
      for (const lease of leases) {
        const run = runs.get(lease.runId)
        if (run === undefined || !isNewest(lease)) continue
        run.lease = { ...run.lease, expiresAt: 0 }
        run.passivated = lease.passivated
      }
    },
    async enqueueSignal(runId, signal, claim) {
      const run = runs.get(runId)
      if (run === undefined) return 'outdated'
      if (claim === undefined) {
        run.queue.push({ id: ++queued, runId, signal })
        return 'accepted'
      }
      const { key, entries } = claim
      if (run.queue.some((other) => other.claim === key)) return 'claimed'
      if (run.entries.length !== entries) return 'outdated'
      run.queue.push({ id: ++queued, runId, signal, claim: key })
      return 'accepted'
    },
    async queuedSignals(runIds) {
      return Array.from(new Set(runIds)).flatMap((runId) => runs.get(runId)?.queue ?? [])
    },
    async dropSignals(ids) {
      for (const run of runs.values()) run.queue = run.queue.filter(({ id }) => !ids.includes(id))
    },
    hasRun: (runId) => runs.has(runId),
    isInUse(threadId) {
      return ordered.some(({ outcome, facts }) => outcome === undefined && facts.threadId === threadId)
    },
  }
}

/** The items of a page, and one more where there are more. `all`: in the order of their positions. */
function walk<Item extends { readonly position: number }>(
  list: ListName,
  all: readonly Item[],
  { limit = Number.POSITIVE_INFINITY, before, order = 'oldest' }: PageOptions,
  fits: (item: Item) => boolean,
): Item[] {
  const isForward = order === 'oldest'
  const cursor = before === undefined ? undefined : positionOf(list, before)
  let index = isForward
    ? firstAfter(all, cursor ?? 0)
    : (cursor === undefined ? all.length : firstAfter(all, cursor - 1)) - 1
  const found: Item[] = []
  for (; index >= 0 && index < all.length && found.length <= limit; index += isForward ? 1 : -1) {
    const item = all[index]
    if (item !== undefined && fits(item)) found.push(item)
  }
  return found
}

/** The index of the first item beyond a position. */
function firstAfter(all: readonly { readonly position: number }[], position: number): number {
  let [low, high] = [0, all.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((all[middle]?.position ?? 0) > position) high = middle
    else low = middle + 1
  }
  return low
}

function updatedAt({ entries }: StoredRun): number {
  return entries.at(-1)?.at ?? 0
}

function lapseFacts({ outcome, entries, lease, lapses, lapsedAt }: StoredRun): LapseFacts {
  const { expiresAt } = lease
  return { isSettled: outcome !== undefined, entries: entries.length, expiresAt, lapses, lapsedAt }
}

function summaryOf(run: StoredRun): RunSummary {
  const { runId, facts, entries, usage = noUsage, outcome, passivated, suspendedAt, questions } = run
  return {
    runId,
    ...facts,
    updatedAt: updatedAt(run),
    entries: entries.length,
    usage,
    ...statusOf({
      isSettled: outcome !== undefined,
      isPassivated: passivated !== undefined,
      entries: entries.length,
      suspendedAt,
    }),
    ...leftOf(lapseFacts(run)),
    ...(outcome === undefined ? {} : { outcome }),
    ...(outcome === undefined && passivated?.wakeAt !== undefined ? { wakeAt: passivated.wakeAt } : {}),
    awaiting: Array.from(questions.values(), ({ question }) => listedQuestion(question, lapseFacts(run))),
  }
}
