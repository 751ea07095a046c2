/** The facts of the index that are in the first entry of a journal. */
import type { RunStarted } from './journal.ts'
import type { OpenQuestion, RunSummary } from './run-index.ts'
import { lapsesUntilLeft } from './store.ts'

/** The facts from which the status of a run follows. */
export interface StatusFacts {
  readonly isSettled: boolean
  readonly isPassivated: boolean
  /** The number of its entries, and the number with which it was suspended last. */
  readonly entries: number
  readonly suspendedAt: number | null | undefined
}

/** The facts from which it follows whether a run is left. */
export interface LapseFacts {
  readonly isSettled: boolean
  readonly entries: number
  /** Of the newest lease. A released lease has expired at 0. */
  readonly expiresAt: number
  /** The lapses by the newest claim, and the number of entries at that claim. */
  readonly lapses: number
  readonly lapsedAt: number
}

/** The lapses in a row: none since an entry, and none since a release. */
export function lapsesOf({ entries, expiresAt, lapses, lapsedAt }: LapseFacts): number {
  return expiresAt > 0 && lapsedAt === entries ? lapses : 0
}

/** When the run is left, as its summary has it. */
export function leftOf(facts: LapseFacts): Pick<RunSummary, 'leftAt'> {
  return !facts.isSettled && lapsesOf(facts) >= lapsesUntilLeft ? { leftAt: facts.expiresAt } : {}
}

/** A question as lists have it. */
export function listedQuestion(question: OpenQuestion, facts: LapseFacts): OpenQuestion {
  const { leftAt } = leftOf(facts)
  return leftAt === undefined ? question : { ...question, leftAt }
}

/** The status of a run, and whether it is passivated, as its summary has them. */
export function statusOf({
  isSettled,
  isPassivated,
  entries,
  suspendedAt,
}: StatusFacts): Pick<RunSummary, 'status' | 'isPassivated'> {
  if (isSettled) return { status: 'settled' }
  if (isPassivated) return { status: 'suspended', isPassivated }
  return { status: suspendedAt === entries ? 'suspended' : 'running' }
}

/** The columns of an index that are known with the first entry. */
export function startedColumns(started: RunStarted) {
  return {
    agent: started.agent,
    startedAt: started.at,
    ...(started.conversationId === undefined ? {} : { conversationId: started.conversationId }),
    ...(started.forkedFrom === undefined ? {} : { forkedFrom: started.forkedFrom.runId }),
    ...(started.nested === undefined ? {} : { nestedIn: started.nested.runId }),
    ...(started.resourceId === undefined ? {} : { resourceId: started.resourceId }),
    ...threadIn(started),
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
