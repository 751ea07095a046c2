/** The calls of a streamed reply, in their order, and their arguments. Those that the provider executes are not told. */
import type { LanguageModelV4StreamPart } from '@ai-sdk/provider'
import type { CallDelta } from '../../actors/chat-model.ts'

type Beginning = Pick<
  Extract<LanguageModelV4StreamPart, { type: 'tool-input-start' }>,
  'id' | 'toolName' | 'providerExecuted'
>
type Whole = Pick<
  Extract<LanguageModelV4StreamPart, { type: 'tool-call' }>,
  'toolCallId' | 'toolName' | 'providerExecuted'
>

export class StreamedCalls {
  readonly #calls = new Map<string, Pick<CallDelta, 'index' | 'id' | 'name'>>()

  begin({ id, toolName, providerExecuted }: Beginning): void {
    if (providerExecuted === true || this.#calls.has(id)) return
    this.#calls.set(id, { index: this.#calls.size, id, name: toolName })
  }

  add(id: string, text: string): CallDelta | undefined {
    const call = this.#calls.get(id)
    return call === undefined ? undefined : { type: 'tool-args', ...call, text }
  }

  /** A call whose arguments were not streamed takes its place among the calls. */
  take({ toolCallId: id, toolName, providerExecuted = false }: Whole): void {
    this.begin({ id, toolName, providerExecuted })
  }
}
