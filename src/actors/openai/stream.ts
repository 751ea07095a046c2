/** Collects a stream of chunks into one reply, and reports each piece of text as it comes. */
import { RetryableError } from '../../errors.ts'
import type { ModelCallOptions, ModelDelta, ModelReply } from '../chat-model.ts'
import { isRecord } from '../json.ts'
import { CallAssembler } from './call-assembler.ts'
import { invalidReply, type CallContext } from './errors.ts'
import { firstChoice, readFinishReason, readPart } from './part.ts'
import { toReply } from './reply.ts'

type EmitDelta = (type: ModelDelta['type'], text: string) => void

/** Throws a `RetryableError` where the stream ends without a finish reason; what the stream itself throws passes. */
export async function collectStream(
  chunks: AsyncIterable<unknown>,
  emit: EmitDelta,
  call: CallContext,
): Promise<ModelReply> {
  const assembler = new CallAssembler()
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
    all.text += part.text
    all.reasoning += part.reasoning
    all.refusal += part.refusal
    emit('reasoning', part.reasoning)
    emit('text', part.text)
    emit('text', part.refusal)
    for (const fragment of part.calls) assembler.add(fragment)
    finishReason = readFinishReason(choice) ?? finishReason
  }

  if (seen.chunk && !seen.choice) throw invalidReply(call, 'a stream without choices')
  if (finishReason === undefined) {
    const what = seen.chunk ? 'without a finish reason' : 'before its first event'
    throw new RetryableError(`The stream of model "${call.modelId}" ended ${what}.`, {
      code: 'MODEL_STREAM_INCOMPLETE',
    })
  }
  return toReply({ ...all, calls: assembler.finish() }, finishReason, usage)
}

/** Calls `onDelta` for what is not empty, until the call is stopped. A listener's failure is its own. */
export function deltaEmitter(
  onDelta: NonNullable<ModelCallOptions['onDelta']>,
  signal: AbortSignal,
): EmitDelta {
  return (type, text) => {
    if (text === '' || signal.aborted) return
    try {
      const returned: unknown = onDelta({ type, text })
      if (returned instanceof Promise) returned.catch(() => undefined) // an async listener must not crash the process
    } catch {
      return // it watches the call and must not break it
    }
  }
}
