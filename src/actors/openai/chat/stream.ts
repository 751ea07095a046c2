/** Collects a stream of chunks into one reply, and reports each piece of its text and its calls as it comes. */
import type { ModelReply } from '../../chat-model.ts'
import { isRecord } from '../../values/json.ts'
import type { Source } from '../../content/source.ts'
import { CallAssembler } from '../shared/call-assembler.ts'
import type { EmitDelta } from '../shared/deltas.ts'
import { citing } from '../shared/citations.ts'
import { invalidReply, type CallContext } from '../failures/errors.ts'
import { toReply, unfinishedStream } from '../shared/reply.ts'
import { firstChoice, readFinishReason, readPart, toFinishReason } from './completion.ts'
import { KeptFields } from './kept-fields.ts'
import { MadeImages } from './made-images.ts'

export async function collectChunks(
  chunks: AsyncIterable<unknown>,
  emit: EmitDelta,
  call: CallContext,
): Promise<ModelReply> {
  const assembler = new CallAssembler()
  const kept = new KeptFields()
  const made = new MadeImages()
  const sources: Source[] = []
  const all = { text: '', reasoning: '', refusal: '' }
  let finishReason: string | undefined
  let usage: unknown
  const seen = { chunk: false, choice: false }

  for await (const chunk of chunks) {
    if (!isRecord(chunk)) continue
    seen.chunk = true
    usage = chunk['usage'] ?? usage // the last one counts: some servers send a running total with every chunk
    const choice = firstChoice(chunk)
    if (choice === undefined) continue
    seen.choice = true
    const part = readPart(choice['delta'])
    if (isRecord(choice['delta'])) {
      kept.add(choice['delta'])
      made.add(choice['delta'])
    }
    all.text += part.text
    all.reasoning += part.reasoning
    all.refusal += part.refusal
    sources.push(...(part.sources ?? []))
    emit({ type: 'reasoning', text: part.reasoning })
    emit({ type: 'text', text: part.text })
    emit({ type: 'text', text: part.refusal })
    for (const fragment of part.calls) {
      const delta = assembler.add(fragment)
      if (delta !== undefined) emit(delta)
    }
    finishReason = readFinishReason(choice) ?? finishReason
  }

  if (!seen.chunk) throw unfinishedStream(call, 'before its first event')
  if (!seen.choice) throw invalidReply(call, 'a stream without choices')
  if (finishReason === undefined) throw unfinishedStream(call, 'without a finish reason')
  const whole = { ...all, calls: assembler.finish(), ...kept.part, ...made.part, ...citing(sources) }
  return toReply(whole, toFinishReason(finishReason), usage)
}
