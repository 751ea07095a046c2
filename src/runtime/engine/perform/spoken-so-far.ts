/**
 * The text so far of the model call that an agent has made last, in the memory of this process alone. An agent that asks for
 * the text of a cut call takes it from here; another process has none.
 */
import type { ModelDelta } from '../../../actors/chat-model.ts'
import { toldDelta } from '../../../actors/models/told-delta.ts'
import type { SparseMap } from '../../../actors/values/sparse.ts'

/** By the path of an agent: its text so far. */
export type SpokenTexts = SparseMap<string, string>

/** The text of one agent. `isHeard`: whether the effect that speaks is still wanted; what comes later nobody has read. */
export class SpokenSoFar {
  readonly #texts: SpokenTexts
  readonly #path: string
  readonly #isHeard: () => boolean

  constructor(texts: SpokenTexts, path: string, isHeard: () => boolean) {
    this.#texts = texts
    this.#path = path
    this.#isHeard = isHeard
  }

  /** A call begins: its text replaces that of the call before. Returns what takes its deltas. */
  begin(onDelta: ((delta: ModelDelta) => void) | undefined): (delta: ModelDelta) => void {
    this.forget()
    return (delta) => {
      const told = this.#isHeard() ? toldDelta(delta) : undefined
      if (told?.type === 'text') this.#texts.set(this.#path, (this.#texts.get(this.#path) ?? '') + told.text)
      onDelta?.(delta)
    }
  }

  /** The call has its reply, or its text must not be kept. */
  forget(): void {
    this.#texts.delete(this.#path)
  }

  take(): string | undefined {
    const text = this.#texts.get(this.#path)
    this.forget()
    return text
  }
}
