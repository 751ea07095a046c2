/** Reads the journal of a workflow, while it is under way and until Restate forgets it. */
import { RestatePromise, type WorkflowSharedContext } from '@restatedev/restate-sdk'
import type { JournalEntry } from '../runtime/journal.ts'
import { names, type ReadReply, type ReadRequest, type RunRequest } from './wire.ts'

type Turn = readonly JournalEntry[]

/** How many turns are asked for at once. */
const stride = 16

export async function readWorkflow(
  context: WorkflowSharedContext,
  { from }: ReadRequest,
): Promise<ReadReply> {
  const request = await context.get<RunRequest>(names.request)
  if (request === null) return { turns: [] }
  const turns: Turn[] = []
  for (let isMore = true; isMore;) {
    const first = from + turns.length
    // Each is a promise of Restate's, though its type does not say so.
    const gets = Array.from(
      { length: stride },
      (_, index) => context.get<Turn>(names.turn(first + index)) as RestatePromise<Turn | null>,
    )
    const found = await RestatePromise.all(gets)
    const some = found.filter((turn) => turn !== null)
    turns.push(...some)
    isMore = some.length === stride
  }
  return { request, turns }
}
