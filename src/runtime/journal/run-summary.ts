/** The summary of a run, from its journal. */
import type { JournalEntry, RunSettled, RunStarted } from './journal.ts'
import type { RunSummary } from './store.ts'

/** The columns of an index that are known with the first entry. */
export function startedColumns(started: RunStarted) {
  return {
    ...threadIn(started),
    agent: started.agent,
    startedAt: started.at,
    ...(started.conversationId === undefined ? {} : { conversationId: started.conversationId }),
    ...(started.forkedFrom === undefined ? {} : { forkedFrom: started.forkedFrom.runId }),
  }
}

/** The thread that a run begins with, as its first entry has it. */
export function threadIn({
  threadId,
  remembers,
  runId,
  agent,
}: Pick<RunStarted, 'threadId' | 'remembers' | 'runId' | 'agent'>): Pick<RunSummary, 'threadId'> {
  if (threadId !== undefined) return { threadId }
  return remembers === true ? { threadId: ownThread(runId, agent) } : {}
}

/** The thread of an agent that was given none. */
export function ownThread(runId: string, path: string): string {
  return `${runId}/${path}`
}

export function summaryOf(
  runId: string,
  entries: readonly JournalEntry[],
  passivated: { readonly wakeAt?: number } | undefined,
): RunSummary {
  const started = entries[0] as RunStarted
  const last = entries.at(-1)
  const settled = entries.findLast((entry): entry is RunSettled => entry.type === 'run.settled')
  return {
    runId,
    ...startedColumns(started),
    updatedAt: last?.at ?? 0,
    entries: entries.length,
    status: settled !== undefined ? 'settled' : passivated !== undefined ? 'suspended' : 'running',
    ...(settled === undefined ? {} : { outcome: settled.outcome }),
    ...(settled === undefined && passivated?.wakeAt !== undefined ? { wakeAt: passivated.wakeAt } : {}),
  }
}
