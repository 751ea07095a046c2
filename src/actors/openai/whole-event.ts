/** Reads the reply to a streaming request: a stream, or, of a server that does not stream, one event with all of it. */
import type { ModelReply } from '../chat-model.ts'
import { isRecord } from '../values/json.ts'
import type { Api } from './shared/api.ts'
import type { EmitDelta } from './shared/deltas.ts'
import type { CallContext } from './failures/errors.ts'

/** Throws as `readReply` and `collectStream` do. */
export async function collect(
  api: Api,
  events: AsyncIterable<unknown>,
  emit: EmitDelta,
  context: CallContext,
): Promise<ModelReply> {
  const iterator = events[Symbol.asyncIterator]()
  const first = await iterator.next()
  if (first.done !== true && isRecord(first.value) && api.isWhole(first.value)) {
    const reply = api.readReply(first.value, context)
    emit({ type: 'reasoning', text: reply.reasoning ?? '' })
    emit({ type: 'text', text: reply.text })
    await iterator.return?.()
    return reply
  }
  return api.collectStream(beginningWith(first, iterator), emit, context)
}

async function* beginningWith(
  first: IteratorResult<unknown>,
  iterator: AsyncIterator<unknown>,
): AsyncGenerator {
  try {
    for (let next = first; next.done !== true; next = await iterator.next()) yield next.value
  } finally {
    await iterator.return?.()
  }
}
