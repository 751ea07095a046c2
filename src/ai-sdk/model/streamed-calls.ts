/** The calls whose arguments a provider streams, in their order. Those that the provider executes are not told. */
import type { LanguageModelV4StreamPart } from '@ai-sdk/provider'
import type { CallDelta } from '../../actors/chat-model.ts'

type Beginning = Pick<
  Extract<LanguageModelV4StreamPart, { type: 'tool-input-start' }>,
  'id' | 'toolName' | 'providerExecuted'
>

export class StreamedCalls {
  readonly #calls = new Map<string, Pick<CallDelta, 'index' | 'id' | 'name'>>()

  begin({ id, toolName, providerExecuted }: Beginning): void {
    if (providerExecuted === true) return
    this.#calls.set(id, { index: this.#calls.size, id, name: toolName })
  }

  add(id: string, text: string): CallDelta | undefined {
    const call = this.#calls.get(id)
    return call === undefined ? undefined : { type: 'tool-args', ...call, text }
  }
}
