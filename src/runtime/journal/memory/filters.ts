/** Whether a run, or a question, is one that a filter chooses. */
import type { OpenQuestion, QuestionFilter, RunFilter } from '../run-index.ts'
import { updatedAt, type StoredRun } from './stored-run.ts'

type Facts = Pick<RunFilter, 'resourceId' | 'threadId' | 'conversationId'>

export function matchesRun(run: StoredRun, filter: RunFilter): boolean {
  return (
    isOfStatus(run, filter.status) &&
    (filter.outcome === undefined || run.outcome === filter.outcome) &&
    (filter.changedSince === undefined || updatedAt(run) >= filter.changedSince) &&
    (filter.agent === undefined || run.facts.agent === filter.agent) &&
    (filter.forkedFrom === undefined || run.facts.forkedFrom === filter.forkedFrom) &&
    (filter.nestedIn === undefined || run.facts.nestedIn === filter.nestedIn) &&
    hasFacts(run, filter)
  )
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
