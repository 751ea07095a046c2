/** The threads and notes of one explored run. A store answers with promises; the world reads and writes at once. */
import type { EffectInput, EffectOutcome, SavedMessage } from '../../../actors/effects/effect-kinds.ts'
import { windowOf } from '../../../actors/messages/window.ts'
import type { Settlement } from '../../../actors/effects/effect.ts'

type MemoryInput = EffectInput<'memory'>

export class ThreadsOfRun {
  readonly #threads = new Map<string, SavedMessage[]>()

  /** The outcome of an operation that succeeds. `leadsTo`: whether handoffs lead from one agent to another. */
  outcomeOf(input: MemoryInput, leadsTo: (from: string, to: string) => boolean): EffectOutcome<'memory'> {
    if (input.operation !== 'recall') return null
    const saved = this.#threads.get(input.threadId) ?? []
    const messages = windowOf(saved, input.lastMessages)
    const answer = saved.findLast(({ role }) => role === 'assistant')
    const holder = input.holder === true ? (answer?.holder ?? answer?.agent) : undefined
    return {
      messages: messages.map(({ agent: _agent, holder: _holder, ...message }) => message),
      workingMemory: null,
      ...(holder === undefined || holder === input.agent || !leadsTo(input.agent, holder) ? {} : { holder }),
    }
  }

  performed(input: MemoryInput, { error }: Settlement): void {
    if (input.operation !== 'save' || error !== undefined) return
    const before = this.#threads.get(input.threadId) ?? []
    this.#threads.set(input.threadId, [...before, ...input.messages])
  }

  /** The content, for the key of a state. */
  toJSON(): unknown {
    return [...this.#threads].toSorted(([a], [b]) => (a < b ? -1 : 1))
  }
}
