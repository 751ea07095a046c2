/**
 * Puts a streamed response together. Pieces become items, items the output that the last event repeats. Servers leave
 * the one or the other out, so each field is taken from the most complete form that has come.
 */
import type { ModelDelta } from '../../chat-model.ts'
import type { Source } from '../../content/source.ts'
import { isRecord } from '../../values/json.ts'
import { CallAssembler } from '../shared/call-assembler.ts'
import { citing, readCitations } from '../shared/citations.ts'
import { readArguments, readIndex, readText, type CallPart, type Part } from '../shared/part.ts'
import { firstOf, readCall, readOutput } from './output.ts'
import { ReasoningAssembler } from './reasoning-assembler.ts'

export type ResponseEvent = Readonly<Record<string, unknown>>

export class ResponseAssembler {
  /** The response of the last event, without which the stream is not whole. */
  response: Record<string, unknown> | undefined
  #text = ''
  #refusal = ''
  readonly #sources: Source[] = []
  readonly #reasoning = new ReasoningAssembler()
  readonly #calls = new CallAssembler('items')
  /** The items of calls of whose arguments a piece has come. */
  readonly #begun = new Set<number | undefined>()
  readonly #items: { readonly index: number; readonly item: unknown }[] = []

  /** Takes an event, and returns the deltas that it has for the caller. */
  add(event: ResponseEvent): readonly ModelDelta[] {
    const delta = readText(event['delta'])
    const index = readIndex(event['output_index'])
    switch (event['type']) {
      case 'response.output_text.delta':
        this.#text += delta
        return [{ type: 'text', text: delta }]
      case 'response.output_text.annotation.added':
        this.#sources.push(...readCitations([event['annotation']]))
        return []
      case 'response.refusal.delta':
        this.#refusal += delta
        return [{ type: 'text', text: delta }]
      case 'response.reasoning_summary_text.delta':
      case 'response.reasoning_text.delta':
        return [{ type: 'reasoning', text: this.#reasoning.add(event) }]
      case 'response.output_item.added':
        return beginning(event['item'], index).flatMap((call) => this.#addCall(call))
      case 'response.function_call_arguments.delta':
        return this.#addCall({ index, id: '', name: '', args: delta })
      case 'response.function_call_arguments.done':
        return this.#hasPieces(index)
          ? []
          : this.#addCall({ index, id: '', name: '', args: readArguments(event['arguments']) })
      case 'response.output_item.done':
        this.#items.push({ index: index ?? this.#items.length, item: event['item'] })
        return []
      case 'response.completed':
      case 'response.incomplete':
      case 'response.failed':
        this.response = ending(event['type'], event['response'])
        return []
      default:
        return []
    }
  }

  #addCall(call: CallPart): readonly ModelDelta[] {
    if (call.args !== '') this.#begun.add(call.index)
    const delta = this.#calls.add(call)
    return delta === undefined ? [] : [delta]
  }

  /** Some servers send the arguments whole, and no pieces. A piece or a whole without an index may be of any call. */
  #hasPieces(index: number | undefined): boolean {
    return index === undefined || this.#begun.has(index) || this.#begun.has(undefined)
  }

  finish(): Part {
    const items = this.#items.toSorted((a, b) => a.index - b.index).map(({ item }) => item)
    return firstOf(readOutput(this.response?.['output']), readOutput(items), {
      text: this.#text,
      refusal: this.#refusal,
      reasoning: this.#reasoning.text,
      calls: this.#calls.finish(),
      ...citing(this.#sources),
    })
  }
}

/** The call that an item begins, where it is one. */
function beginning(item: unknown, index: number | undefined): readonly CallPart[] {
  return isRecord(item) && item['type'] === 'function_call' ? [readCall(item, index)] : []
}

/** Where the response has no status, the type of the event gives it. */
function ending(type: string, value: unknown): Record<string, unknown> {
  const response = isRecord(value) ? value : {}
  return { ...response, status: readText(response['status']) || type.slice('response.'.length) }
}
