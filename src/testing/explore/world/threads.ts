/** The threads and notes of one explored run. A store answers with promises; the world reads and writes at once. */
import type { EffectInput, EffectOutcome, SavedMessage } from '../../../actors/effect-kinds.ts'
import type { Settlement } from '../../../actors/effect.ts'

type MemoryInput = EffectInput<'memory'>

export class ThreadsOfRun {
  readonly #threads = new Map<string, SavedMessage[]>()

  /** The outcome of an operation that succeeds. */
  outcomeOf(input: MemoryInput): EffectOutcome<'memory'> {
    if (input.operation === 'save') return null
    const saved = this.#threads.get(input.threadId) ?? []
    const messages = input.lastMessages === 0 ? [] : saved.slice(-input.lastMessages)
    return { messages: messages.map(({ agent: _agent, ...message }) => message), workingMemory: null }
  }

  performed(input: MemoryInput, { error }: Settlement): void {
    if (input.operation === 'recall' || error !== undefined) return
    const before = this.#threads.get(input.threadId) ?? []
    this.#threads.set(input.threadId, [...before, ...input.messages])
  }

  /** The content, for the key of a state. */
  toJSON(): unknown {
    return [...this.#threads].toSorted(([a], [b]) => (a < b ? -1 : 1))
  }
}
