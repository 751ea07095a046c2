/** Passes the pieces of a stream to the caller. */
import type { ModelCallOptions, ModelDelta } from '../../chat-model.ts'

export type EmitDelta = (type: ModelDelta['type'], text: string) => void

/** Calls `onDelta` for each text that is not empty, until the call is stopped. Failures of a listener are ignored. */
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
