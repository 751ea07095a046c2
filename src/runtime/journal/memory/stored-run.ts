/** A run and its questions, as the store in memory holds them. */
import { noUsage, type Usage } from '../../../actors/usage.ts'
import { SparseMap } from '../../../actors/values/sparse.ts'
import { usageWith } from '../entry-usage.ts'
import type { JournalEntry, RunStarted } from '../journal.ts'
import type { OpenQuestion, QuestionChange, RunSummary } from '../run-index.ts'
import { begunColumns, leftOf, listedQuestion, statusOf, timesOf, type LapseFacts } from '../run-summary.ts'
import type { Lease, QueuedSignal } from '../store.ts'

export interface StoredRun {
  readonly runId: string
  /** From 1, in the order in which the runs began. */
  readonly position: number
  readonly facts: ReturnType<typeof begunColumns>
  readonly entries: JournalEntry[]
  /** The newest lease; a released one has expired at 0. */
  lease: Lease
  /** The lapses by the newest claim, and the number of entries at that claim. */
  lapses: number
  lapsedAt: number
  outcome: string | undefined
  code: string | undefined
  endedAt: number | undefined
  usage: Usage | undefined
  passivated: { readonly wakeAt?: number } | undefined
  /** The number of entries with which it was suspended last. */
  suspendedAt: number | undefined
  queue: QueuedSignal[]
  /** By call. */
  readonly questions: SparseMap<string, StoredQuestion>
}

export interface StoredQuestion {
  readonly position: number
  readonly question: OpenQuestion
}

/** A run before its first entry. */
export function newRun(started: RunStarted, runId: string, lease: Lease, position: number): StoredRun {
  return {
    runId,
    position,
    facts: begunColumns(started),
    entries: [],
    lease,
    lapses: 0,
    lapsedAt: 0,
    outcome: undefined,
    code: undefined,
    endedAt: undefined,
    usage: undefined,
    passivated: undefined,
    suspendedAt: undefined,
    queue: [],
    questions: new SparseMap(),
  }
}

/** Adds an entry. Whether the run ends with it. */
export function addEntry(run: StoredRun, entry: JournalEntry): boolean {
  run.entries.push(entry)
  if (run.outcome === undefined) run.usage = usageWith(run.usage, entry)
  if (entry.type !== 'run.settled') return false
  if (run.outcome === undefined) {
    run.code = entry.error?.code
    run.endedAt = entry.at
  }
  run.outcome = entry.outcome
  run.questions.clear()
  return true
}

/** `nextPosition`: gives the position of a question that is new. */
export function changeQuestions(
  run: StoredRun,
  { opened, closed, suspendedAt }: QuestionChange,
  nextPosition: () => number,
): void {
  run.suspendedAt = suspendedAt ?? run.suspendedAt
  const stays = new Set(opened.map(({ toolCallId }) => toolCallId))
  const gone = closed === 'others' ? [...run.questions.keys()].filter((id) => !stays.has(id)) : closed
  for (const id of gone) run.questions.delete(id)
  if (run.outcome !== undefined) return
  for (const question of opened) {
    const position = run.questions.get(question.toolCallId)?.position ?? nextPosition()
    run.questions.set(question.toolCallId, { position, question })
  }
}

export function updatedAt({ entries }: StoredRun): number {
  return entries.at(-1)?.at ?? 0
}

export function lapseFacts({ outcome, entries, lease, lapses, lapsedAt }: StoredRun): LapseFacts {
  const { expiresAt } = lease
  return { isSettled: outcome !== undefined, entries: entries.length, expiresAt, lapses, lapsedAt }
}

export function summaryOf(run: StoredRun): RunSummary {
  const { runId, entries, usage = noUsage, outcome, code, passivated, suspendedAt, questions } = run
  const { countsFrom, ...facts } = run.facts
  return {
    runId,
    ...facts,
    ...timesOf(countsFrom, updatedAt(run), run.endedAt),
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
    ...(code === undefined ? {} : { code }),
    ...(outcome === undefined && passivated?.wakeAt !== undefined ? { wakeAt: passivated.wakeAt } : {}),
    awaiting: Array.from(questions.values(), ({ question }) => listedQuestion(question, lapseFacts(run))),
  }
}
