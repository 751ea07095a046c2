/** Reads the journal of a workflow, while it is under way and until Restate forgets it. */
import { RestatePromise, type WorkflowSharedContext } from '@restatedev/restate-sdk'
import { names, type KeptTurn, type ReadReply, type ReadRequest } from './wire.ts'

/** How many turns are asked for at once. */
const stride = 16

export async function readWorkflow(
  context: WorkflowSharedContext,
  { from, to = Number.POSITIVE_INFINITY }: ReadRequest,
): Promise<ReadReply> {
  const turns: KeptTurn[] = []
  for (let isMore = true; isMore;) {
    const first = from + turns.length
    // Each is a promise of Restate's, though its type does not say so.
    const gets = Array.from(
      { length: Math.min(stride, to - first) },
      (_, index) => context.get<KeptTurn>(names.turn(first + index)) as RestatePromise<KeptTurn | null>,
    )
    const found = await RestatePromise.all(gets)
    const some = found.filter((turn) => turn !== null)
    turns.push(...some)
    isMore = some.length === stride
  }
  return { turns: turns.map(({ invocation: _invocation, ...turn }) => turn) }
}
