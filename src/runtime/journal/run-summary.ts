/** The summary of a run, from its journal. */
import type { JournalEntry, RunSettled, RunStarted } from './journal.ts'
import type { RunSummary } from './store.ts'

/** The columns of an index that are known with the first entry. */
export function startedColumns(started: RunStarted) {
  return {
    agent: started.agent,
    startedAt: started.at,
    ...(started.conversationId === undefined ? {} : { conversationId: started.conversationId }),
    ...(started.forkedFrom === undefined ? {} : { forkedFrom: started.forkedFrom.runId }),
  }
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
    ...(started.threadId === undefined ? {} : { threadId: started.threadId }),
    updatedAt: last?.at ?? 0,
    entries: entries.length,
    status: settled !== undefined ? 'settled' : passivated !== undefined ? 'suspended' : 'running',
    ...(settled === undefined ? {} : { outcome: settled.outcome }),
    ...(settled === undefined && passivated?.wakeAt !== undefined ? { wakeAt: passivated.wakeAt } : {}),
  }
}
