/** Keeps the facts about a run, which lists filter by, in the state of its workflow. */
import type { WorkflowContext } from '@restatedev/restate-sdk'
import type { JournalEntry } from '../../runtime/journal/journal.ts'
import { factsIn, names, type RunFacts } from '../wire/wire.ts'

/** Keeps nothing for a part of a run, and for a run without facts. */
export function keepFacts(
  context: Pick<WorkflowContext, 'key' | 'set'>,
  first: JournalEntry | undefined,
): void {
  if (first?.type !== 'run.started' || first.runId !== context.key) return
  const facts = factsIn(first)
  if (Object.keys(facts).length > 0) context.set<RunFacts>(names.facts, facts)
}
