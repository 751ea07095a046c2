/** Reads the journal of a workflow, while it is in progress and until Restate forgets it. */
import { RestatePromise, type WorkflowSharedContext } from '@restatedev/restate-sdk'
import { encodedJson } from '../wire/bounded-serdes.ts'
import { largest } from '../wire/payload-limits.ts'
import { names, type KeptTurn, type ReadReply, type ReadRequest } from '../wire/wire.ts'

/** The most turns that are requested at once, after the first one. */
const longestStride = 16

export async function readWorkflow(
  context: WorkflowSharedContext,
  { from, to = Number.POSITIVE_INFINITY }: ReadRequest,
): Promise<ReadReply> {
  const turns: KeptTurn[] = []
  let size = 0
  for (let stride = 1; ; stride = strideFor(size / turns.length)) {
    const first = from + turns.length
    // Each is a promise of Restate, although its type does not declare it.
    const gets = Array.from(
      { length: Math.min(stride, to - first) },
      (_, index) => context.get(names.turn(first + index), encodedJson) as RestatePromise<Uint8Array | null>,
    )
    const found = await RestatePromise.all(gets)
    const some = found.filter((turn) => turn !== null)
    for (const bytes of some) {
      size += bytes.length
      if (turns.length > 0 && size > largest.reply) return { ...replyOf(turns), isMore: true }
      turns.push(JSON.parse(decoder.decode(bytes)) as KeptTurn)
    }
    if (some.length < stride) return replyOf(turns)
  }
}

const decoder = new TextDecoder()

/** Requests few turns when they are large: a turn that is read and does not fit is read again. */
function strideFor(usualSize: number): number {
  return Math.max(1, Math.min(longestStride, Math.floor(largest.reply / usualSize)))
}

function replyOf(turns: readonly KeptTurn[]): ReadReply {
  return { turns: turns.map(({ invocation: _invocation, ...turn }) => turn) }
}
