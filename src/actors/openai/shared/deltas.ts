/** How the pieces of a stream reach the caller. */
import type { ModelCallOptions, ModelDelta } from '../../chat-model.ts'

export type EmitDelta = (type: ModelDelta['type'], text: string) => void

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
