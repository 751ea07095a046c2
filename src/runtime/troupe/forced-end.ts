/**
 * Ends a run that cannot go on: its agents were edited beyond what its journal allows, it is of another release, or workers
 * have died of it. The end is written without the charts of the run, and nothing is performed. The runs that its calls have
 * begun end with it.
 */
import { addUsage, noUsage } from '../../actors/usage.ts'
import { RunOwnedError } from '../../errors.ts'
import { entryUsage } from '../journal/entry-usage.ts'
import { leftWork } from '../journal/left-work.ts'
import { hasEnded, type JournalEntry, type RunSettled } from '../journal/journal.ts'
import { lostOf } from '../journal/committer.ts'
import { releasedAsClaimed } from '../journal/store.ts'
import { letGo } from '../run/let-go.ts'
import { endNested, type EndingHost } from './nested-ends.ts'

/**
 * Resolves when the end is on record, also where the run has ended by itself. Rejects with a `RunOwnedError` while another
 * process has the run: that process can cancel it. Rejects with a `RunNotFoundError`, and with a `StoreError`.
 */
export async function endByForce(host: EndingHost, runId: string, reason: string): Promise<void> {
  if (!hasEnded(await host.journal(runId))) await writeEnd(host, runId, reason)
  await endNested(host, await host.journal(runId), endByForce)
}

async function writeEnd(host: EndingHost, runId: string, reason: string): Promise<void> {
  const lease = await host.claim(runId, 'always')
  try {
    const journal = await host.journal(runId)
    if (hasEnded(journal)) return
    const report = await host.store.append([
      { runId, entry: endOf(journal, reason, host.clock.now()), lease },
    ])
    if (lostOf(report).length > 0) throw new RunOwnedError(runId)
  } finally {
    await letGo(host, releasedAsClaimed(lease))
  }
}

function endOf(journal: readonly JournalEntry[], reason: string, now: number): RunSettled {
  const usages = journal.flatMap((entry) => entryUsage(entry) ?? [])
  const at = Math.max(now, journal.at(-1)?.at ?? now)
  const left = leftWork(journal)
  return {
    type: 'run.settled',
    at,
    outcome: 'cancelled',
    text: '',
    reason,
    forced: true,
    ...(left.length === 0 ? {} : { left }),
    usage: usages.reduce((sum, usage) => addUsage(sum, usage), noUsage),
  }
}
