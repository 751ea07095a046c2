/** Whether a run, or a question, is one that a filter chooses. */
import type { GrowingOrder, OpenQuestion, QuestionFilter, RunFilter } from '../run-index.ts'
import { hasWords, timesOf, wordsOf } from '../run-summary.ts'
import { updatedAt, type StoredRun } from './stored-run.ts'

type Facts = Pick<RunFilter, 'resourceId' | 'threadId' | 'conversationId'>

export function matchesRun(run: StoredRun, filter: RunFilter): boolean {
  return (
    isOfStatus(run, filter.status) &&
    (filter.outcome === undefined || run.outcome === filter.outcome) &&
    (filter.code === undefined || run.code === filter.code) &&
    (filter.text === undefined || hasWords({ ...run.facts, runId: run.runId }, wordsOf(filter.text))) &&
    (filter.startedSince === undefined || run.facts.startedAt >= filter.startedSince) &&
    (filter.changedSince === undefined || updatedAt(run) >= filter.changedSince) &&
    (filter.agent === undefined || run.facts.agent === filter.agent) &&
    (filter.forkedFrom === undefined || run.facts.forkedFrom === filter.forkedFrom) &&
    (filter.nestedIn === undefined || run.facts.nestedIn === filter.nestedIn) &&
    hasFacts(run, filter)
  )
}

/** The number by which an order sorts a run. */
export function sortNumber(run: StoredRun, order: GrowingOrder): number {
  switch (order) {
    case 'changed':
      return updatedAt(run)
    case 'costliest':
      return run.usage?.cost ?? 0
    case 'longest':
      return timesOf(run.facts.countsFrom, updatedAt(run), run.endedAt).duration
  }
}

export function asksFor(run: StoredRun, question: OpenQuestion, filter: QuestionFilter): boolean {
  return (
    (filter.runId === undefined || run.runId === filter.runId) &&
    (filter.type === undefined || question.type === filter.type) &&
    (filter.agent === undefined || question.agent === filter.agent) &&
    hasFacts(run, filter)
  )
}

function isOfStatus(run: StoredRun, status: RunFilter['status']): boolean {
  const { outcome, passivated, suspendedAt, entries } = run
  const isSuspended = passivated !== undefined || suspendedAt === entries.length
  switch (status) {
    case undefined:
      return true
    case 'settled':
      return outcome !== undefined
    case 'unfinished':
      return outcome === undefined
    case 'running':
      return outcome === undefined && !isSuspended
    case 'suspended':
      return outcome === undefined && isSuspended
  }
}

function hasFacts({ facts }: StoredRun, filter: Facts): boolean {
  return (['resourceId', 'threadId', 'conversationId'] as const).every(
    (name) => filter[name] === undefined || facts[name] === filter[name],
  )
}
