/** Passes the pieces of a stream to the caller. */
import type { ModelCallOptions, ModelDelta } from '../../chat-model.ts'

/** Passes on a piece of a reply. */
export type EmitDelta = (delta: ModelDelta) => void

/** Calls `onDelta` for each text that is not empty, until the call is stopped. Failures of a listener are ignored. */
export function deltaEmitter(
  onDelta: NonNullable<ModelCallOptions['onDelta']>,
  signal: AbortSignal,
): EmitDelta {
  return (delta) => {
    if (delta.text === '' || signal.aborted) return
    try {
      const returned: unknown = onDelta(delta)
      if (returned instanceof Promise) returned.catch(() => undefined) // an async listener must not crash the process
    } catch {
      return // it watches the call and must not break it
    }
  }
}
