/**
 * Tells the unfinished runs of a store that was restored: each free one gets the entry that says so, without its agents, and its
 * open questions say it too. A run that this does not reach is told when an owner goes on with it.
 */
import { lostOf } from '../journal/committer.ts'
import { hasEnded, type JournalEntry, type RunRestored } from '../journal/journal.ts'
import type { RunSummary } from '../journal/run-index.ts'
import type { Claimed, JournalAppend } from '../journal/store.ts'
import { RunLeftError, RunNotFoundError, RunOwnedError } from '../../errors.ts'
import { letGoAsClaimed } from './let-go.ts'
import type { RunHost } from './run-host.ts'

type Host = Pick<RunHost, 'store' | 'report' | 'clock' | 'journal' | 'claim' | 'isLive'>

/** A run of which this process has lost nothing, and one that another process has, stays as it is. */
export async function tellRestored(host: Host, summary: RunSummary, epoch: number): Promise<void> {
  const { runId } = summary
  if (host.isLive(runId)) return
  const lease = await claimed(host, runId)
  if (lease === undefined) return
  try {
    const journal = await host.journal(runId)
    if (hasEnded(journal) || epochOf(journal) >= epoch) return
    const append = restoredAppend(journal, summary, { at: host.clock.now(), epoch })
    const report = await host.store.append([{ ...append, lease }])
    // An accepted answer comes first: whoever goes on with the run takes both.
    if (lostOf(report).length > 0) return
  } finally {
    await letGoAsClaimed(host, lease)
  }
}

async function claimed(host: Host, runId: string): Promise<Claimed | undefined> {
  try {
    return await host.claim(runId, 'always')
  } catch (error) {
    const isTaken = [RunOwnedError, RunLeftError, RunNotFoundError].some((kind) => error instanceof kind)
    if (isTaken) return undefined
    throw error
  }
}

/** The epoch that a run has come to. */
function epochOf(journal: readonly JournalEntry[]): number {
  const epochs = journal.map((entry) =>
    entry.type === 'run.started' || entry.type === 'run.restored' ? (entry.epoch ?? 0) : 0,
  )
  return Math.max(...epochs)
}

/** The append that tells a run. It is as suspended as it was. */
function restoredAppend(
  journal: readonly JournalEntry[],
  { runId, status, awaiting }: Pick<RunSummary, 'runId' | 'status' | 'awaiting'>,
  { at, epoch }: Pick<RunRestored, 'at' | 'epoch'>,
): Omit<JournalAppend, 'lease'> & { readonly entry: RunRestored } {
  const [started] = journal
  const conversationId = started?.conversationId
  const entry: RunRestored = {
    type: 'run.restored',
    at: Math.max(at, journal.at(-1)?.at ?? at),
    ...(epoch === undefined ? {} : { epoch }),
    ...(conversationId === undefined ? {} : { conversationId }),
  }
  const opened = awaiting.map(({ leftAt: _leftAt, ...question }) => ({
    ...question,
    restored: true as const,
  }))
  const suspended = status === 'suspended' ? { suspendedAt: journal.length + 1 } : {}
  return { runId, entry, questions: { opened, closed: [], ...suspended } }
}
