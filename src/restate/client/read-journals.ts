/** Reads the journals of all workflows of a run as they are, without the agents of the run. */
import { RunNotFoundError } from '../../errors.ts'
import type { JournalEntry } from '../../runtime/journal/journal.ts'
import type { LastTurn, Turn } from '../wire/wire.ts'
import type { RunWorkflow } from './find-run.ts'
import type { RunIngress } from './ingress.ts'
import type { ExportedPart, RunExport } from './run-export.ts'

/** `workflows`: all of the run. Rejects with a `RunNotFoundError` where there is no journal. */
export async function readJournals(
  ingress: Pick<RunIngress, 'read'>,
  runId: string,
  agent: string,
  workflows: readonly RunWorkflow[],
): Promise<RunExport> {
  const journals = new Map<string, (readonly JournalEntry[])[]>()
  const ends = new Map<string, LastTurn>()
  for (const workflow of workflows) {
    const turns = await turnsOf(ingress, runId, workflow)
    journals.set(
      workflow.path,
      turns.map(({ entries }) => entries),
    )
    for (const turn of turns) note(turn, ends)
  }
  for (const [path, { after, entries }] of ends) {
    const turns = journals.get(path) ?? []
    if (turns.length === after) turns.push(entries)
    journals.set(path, turns)
  }
  const parts: ExportedPart[] = []
  for (const [path, turns] of journals) if (turns.length > 0) parts.push({ path, turns })
  if (parts.length === 0) throw new RunNotFoundError(runId)
  return { runId, agent, parts }
}

async function turnsOf(
  ingress: Pick<RunIngress, 'read'>,
  runId: string,
  workflow: RunWorkflow,
): Promise<readonly Turn[]> {
  const turns: Turn[] = []
  for (let isMore = true; isMore;) {
    const reply = await ingress.read({ runId, ...workflow }, { from: turns.length })
    turns.push(...reply.turns)
    isMore = reply.isMore === true
  }
  return turns
}

/** A part may leave the end of its journal to its parent, with the ends of the parts below it. */
function note({ ends = {} }: Turn, into: Map<string, LastTurn>): void {
  for (const [path, last] of Object.entries(ends)) {
    into.set(path, last)
    note(last, into)
  }
}
