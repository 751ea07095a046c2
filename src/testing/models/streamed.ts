/** How models of the test kit stream and hang. */
import { CancelledError } from '../../errors.ts'
import type { ModelCallOptions } from '../../actors/chat-model.ts'

/** Streams a reply as a provider does: word by word, its reasoning first. */
export function stream(
  reply: { readonly text?: string | undefined; readonly reasoning?: string | undefined },
  onDelta: ModelCallOptions['onDelta'],
): void {
  if (onDelta === undefined) return
  for (const text of pieces(reply.reasoning)) onDelta({ type: 'reasoning', text })
  for (const text of pieces(reply.text)) onDelta({ type: 'text', text })
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
