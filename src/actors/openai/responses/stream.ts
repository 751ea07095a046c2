/** Collects the events of a response into one reply, and reports each piece of its text and its calls as it comes. */
import type { ModelReply } from '../../chat-model.ts'
import { isRecord } from '../../values/json.ts'
import type { EmitDelta } from '../shared/deltas.ts'
import { bodyError, invalidReply, type CallContext } from '../failures/errors.ts'
import { readText } from '../shared/part.ts'
import { toReply, unfinishedStream } from '../shared/reply.ts'
import { ResponseAssembler } from './response-assembler.ts'
import { readFinishReason } from './response.ts'

export async function collectEvents(
  events: AsyncIterable<unknown>,
  emit: EmitDelta,
  call: CallContext,
): Promise<ModelReply> {
  const assembler = new ResponseAssembler()
  const seen = { event: false, response: false }

  for await (const event of events) {
    if (!isRecord(event)) continue
    const type = readText(event['type'])
    if (type === 'error') throw bodyError(event, call)
    seen.event = true
    seen.response ||= type.startsWith('response.')
    for (const delta of assembler.add(event)) emit(delta)
  }

  const { response } = assembler
  if (!seen.event) throw unfinishedStream(call, 'before its first event')
  if (!seen.response) throw invalidReply(call, 'a stream without a response')
  if (response === undefined) throw unfinishedStream(call, 'without the end of its response')
  return toReply(assembler.finish(), readFinishReason(response, call), response['usage'])
}
