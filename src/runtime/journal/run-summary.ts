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

/** What the index of a store has of the first entry. */
export function begunColumns(started: RunStarted) {
  const task = taskLine(started.task)
  return {
    ...startedColumns(started),
    ...(task === undefined ? {} : { task }),
    countsFrom: countedFrom(started),
  }
}

const longestTask = 200

/** The first line of a text that has a character, with single spaces, of at most 200 characters. */
function taskLine(text: unknown): string | undefined {
  if (typeof text !== 'string') return undefined // a sealed entry has none
  const from = text.search(/[^\s\p{Cc}]/u)
  if (from < 0) return undefined
  const end = text.slice(from).search(/[\r\n\u2028\u2029]/)
  const line = text.slice(from, from + (end < 0 ? 4 * longestTask : Math.min(end, 4 * longestTask)))
  const spaced = line
    .toWellFormed()
    .replaceAll(/[\s\p{Cc}]+/gu, ' ')
    .trim()
  const isWhole = spaced.length <= longestTask
  return isWhole ? spaced : `${spaced.slice(0, longestTask - 1).replace(/[\uD800-\uDBFF]$/, '')}…`
}

/** The time from which its duration counts: a fork does not count the gap before its own entries. */
function countedFrom({ at, uncounted }: RunStarted): number {
  return (uncounted ?? []).reduce((from, { span }) => from + span, at)
}

/** The times of a run, as its summary has them. */
export function timesOf(
  countsFrom: number,
  updatedAt: number,
  endedAt: number | undefined,
): Pick<RunSummary, 'updatedAt' | 'endedAt' | 'duration'> {
  const duration = Math.max(0, (endedAt ?? updatedAt) - countsFrom)
  return { updatedAt, ...(endedAt === undefined ? {} : { endedAt }), duration }
}

/** Characters of a text that is looked for, and its words: more are left out. */
const longestSearch = 200
const mostWords = 8

/**
 * The distinct words of a text that is looked for, at most 8 of its first 200 characters. Letters of ASCII are in lower case; the
 * case of others counts.
 */
export function wordsOf(text: string | undefined): readonly string[] {
  if (text === undefined) return []
  // Half of a surrogate pair is in no task: the cut takes the whole.
  const searched = folded(text.slice(0, longestSearch).replace(/[\uD800-\uDBFF]$/, ''))
  const words = searched.split(/[\s\p{Cc}]+/u).filter((word) => word !== '')
  return [...new Set(words)].slice(0, mostWords)
}

/** Whether the id or the task of a run has each of the words. */
export function hasWords(
  { runId, task = '' }: Pick<RunSummary, 'runId' | 'task'>,
  words: readonly string[],
): boolean {
  const searched = folded(`${runId} ${task}`)
  return words.every((word) => searched.includes(word))
}

function folded(text: string): string {
  return text.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase())
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
