/** A store in memory: for tests, and for runs that need not outlive their process. */
import type { JournalEntry } from './journal.ts'
import { memoryConfig } from './memory-config.ts'
import { memoryThreads } from './memory-threads.ts'
import type { Lease, Post, RunFilter, RunSummary, Store } from './store.ts'
import { summaryOf } from './run-summary.ts'

interface StoredRun {
  readonly entries: JournalEntry[]
  /** The newest lease; a released one has expired at 0. */
  lease: Lease
  parked: { readonly wakeAt?: number } | undefined
  posts: Post[]
}

export function memoryStore(): Store {
  const { releaseNow, ...memory } = memoryThreads()
  const runs = new Map<string, StoredRun>()
  let posted = 0
  const isNewest = ({ runId, token }: Lease): boolean => runs.get(runId)?.lease.token === token
  return {
    memory,
    config: memoryConfig(),
    append(appends) {
      const begun = new Map<string, number>()
      const lost = new Set<string>()
      for (const { runId, entry, lease } of appends) {
        const newest = runs.get(runId)?.lease.token ?? begun.get(runId)
        if (newest === undefined && entry.type === 'run.started') begun.set(runId, lease.token)
        else if (newest !== lease.token || entry.type === 'run.started') lost.add(runId)
      }
      for (const { runId, entry, lease, post } of appends) {
        if (lost.has(runId)) continue
        const run = runs.get(runId)
        if (run === undefined) runs.set(runId, { entries: [entry], lease, parked: undefined, posts: [] })
        else run.entries.push(entry)
        if (entry.type === 'run.settled') releaseNow(runId)
        if (run !== undefined && post !== undefined) run.posts = run.posts.filter(({ id }) => id !== post)
      }
      if (lost.size > 0) return { lost: [...lost] }
    },
    async read(runId, from = 0) {
      return runs.get(runId)?.entries.slice(from)
    },
    async list(filter = {}) {
      return Array.from(runs, ([runId, run]) => summaryOf(runId, run.entries, run.parked)).filter((summary) =>
        matches(summary, filter),
      )
    },
    async claim(runId, owner, now, expiresAt, farthest = Number.POSITIVE_INFINITY) {
      const run = runs.get(runId)
      if (run === undefined) return undefined
      const { lease } = run
      const isHeld = lease.expiresAt > now && lease.expiresAt <= farthest
      if (lease.owner !== owner && isHeld) return undefined
      const wasParked = run.parked
      run.lease = { runId, owner, token: lease.token + 1, expiresAt }
      run.parked = undefined
      return wasParked === undefined ? run.lease : { ...run.lease, wasParked }
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
        run.parked = lease.parked
      }
    },
    async post(runId, signal) {
      runs.get(runId)?.posts.push({ id: ++posted, runId, signal })
    },
    async posts(runIds) {
      return Array.from(new Set(runIds)).flatMap((runId) => runs.get(runId)?.posts ?? [])
    },
    async discard(posts) {
      for (const run of runs.values()) run.posts = run.posts.filter(({ id }) => !posts.includes(id))
    },
  }
}

function matches(summary: RunSummary, { status, agent, conversationId }: RunFilter): boolean {
  return (
    (status === undefined ||
      summary.status === status ||
      (status === 'unfinished' && summary.status !== 'settled')) &&
    (agent === undefined || summary.agent === agent) &&
    (conversationId === undefined || summary.conversationId === conversationId)
  )
}
