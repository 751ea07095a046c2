/** How models of the test kit stream and hang. */
import { CancelledError } from '../../errors.ts'
import type { ModelCallOptions } from '../../actors/chat-model.ts'
import type { ToolCall } from '../../actors/message.ts'

interface Streamed {
  readonly text?: string | undefined
  readonly reasoning?: string | undefined
  readonly toolCalls?: readonly Pick<ToolCall, 'id' | 'name' | 'args' | 'malformed'>[] | undefined
}

/** Streams a reply as a provider does: word by word, its reasoning first and its calls last. */
export function stream(reply: Streamed, onDelta: ModelCallOptions['onDelta']): void {
  if (onDelta === undefined) return
  for (const text of pieces(reply.reasoning)) onDelta({ type: 'reasoning', text })
  for (const text of pieces(reply.text)) onDelta({ type: 'text', text })
  for (const [index, { id, name, args, malformed }] of (reply.toolCalls ?? []).entries()) {
    for (const text of pieces(malformed ?? JSON.stringify(args))) {
      onDelta({ type: 'tool-args', index, id, name, text })
    }
  }
}

function pieces(text: string | undefined): readonly string[] {
  return text?.match(/\S+\s*|\s+/g) ?? []
}

/** Rejects with a `CancelledError` when the call is aborted. */
export function untilAborted(signal: AbortSignal, model: string): Promise<never> {
  return new Promise((_, reject) => {
    const abort = (): void => reject(new CancelledError(`${model} was aborted.`))
    if (signal.aborted) abort()
    else signal.addEventListener('abort', abort, { once: true })
  })
}
