/** Passes the pieces of a stream to the caller. */
import type { ModelCallOptions, ModelDelta } from '../../chat-model.ts'
import { ThoughtReader } from '../../text/thoughts.ts'

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

/** As `deltaEmitter`, with the thoughts within the text as reasoning. */
export function partedEmitter(...given: Parameters<typeof deltaEmitter>): ReturnType<typeof partingThoughts> {
  return partingThoughts(deltaEmitter(...given))
}

/** Passes on the thoughts within a text as reasoning. `end` passes on what was held, where the reply ends. */
export function partingThoughts(emit: EmitDelta): { readonly emit: EmitDelta; readonly end: () => void } {
  const reader = new ThoughtReader()
  let reasons = false
  const tell = (parts: readonly ModelDelta[]): void => {
    for (const part of parts) {
      if (part.type === 'reasoning' && reasons) emit({ type: 'reasoning', text: '\n\n' })
      reasons &&= part.type !== 'reasoning'
      emit(part)
    }
  }
  return {
    emit: (delta) => {
      if (delta.type === 'text') return tell(reader.add(delta.text))
      reasons ||= delta.type === 'reasoning' && delta.text !== ''
      emit(delta)
    },
    end: () => tell(reader.end()),
  }
}
