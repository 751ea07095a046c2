/** Keeps the facts about a run, which lists filter by, in the state of its workflow. */
import type { WorkflowContext } from '@restatedev/restate-sdk'
import type { JournalEntry } from '../../runtime/journal/journal.ts'
import { threadIn } from '../../runtime/journal/run-summary.ts'
import { names, type RunFacts } from '../wire/wire.ts'

/** Keeps nothing for a part of a run, and for a run without facts. */
export function keepFacts(
  context: Pick<WorkflowContext, 'key' | 'set'>,
  first: JournalEntry | undefined,
): void {
  if (first?.type !== 'run.started' || first.runId !== context.key) return
  const { resourceId, conversationId } = first
  const facts: RunFacts = {
    ...threadIn(first),
    ...(resourceId === undefined ? {} : { resourceId }),
    ...(conversationId === undefined ? {} : { conversationId }),
  }
  if (Object.keys(facts).length > 0) context.set<RunFacts>(names.facts, facts)
}
