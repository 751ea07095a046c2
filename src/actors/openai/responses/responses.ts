/**
 * The Responses API. The client's method for it, `responses.create`, reads the body before we can, and throws a bare
 * `TypeError` where that is no response: so the request is posted.
 */
import type { APIPromise, OpenAI } from 'openai'
import type { Api, ApiCall } from '../shared/api.ts'
import { bodyText, toolList, jsonHeaders } from '../shared/body-text.ts'
import { inputText, toFrame, toParams, toTool } from './request.ts'
import type { ModelReply, ModelDelta, FinishReason } from '../../chat-model.ts'
import { isRecord } from '../../values/json.ts'
import type { EmitDelta } from '../shared/deltas.ts'
import { bodyError, invalidReply, type CallContext } from '../failures/errors.ts'
import {
  readText,
  readArguments,
  readIndex,
  citing,
  readCitations,
  type CallPart,
  type Part,
} from '../shared/part.ts'
import { isEmpty, toReply, unfinishedStream, readBody, unfinishedReply } from '../shared/reply.ts'
import type { Source } from '../../content/source.ts'
import { CallAssembler } from '../shared/call-assembler.ts'
import { firstOf, readCall, readOutput } from './output.ts'
import { schemaQuirks } from '../shared/quirks.ts'
import { formName } from '../shared/request-parts.ts'

const path = '/responses'

/** Collects the events of a response into one reply, and reports each piece of its text and its calls as it comes. */
export async function collectEvents(
  events: AsyncIterable<unknown>,
  emit: EmitDelta,
  call: CallContext,
): Promise<ModelReply> {
  const assembler = new ResponseAssembler()
  const seen = { event: false, response: false }

  for await (const event of events) {
    if (!isRecord(event)) continue
    const type = readText(event['type'])
    if (type === 'error') throw bodyError(event, call)
    seen.event = true
    seen.response ||= type.startsWith('response.')
    for (const delta of assembler.add(event)) emit(delta)
  }

  const { response } = assembler
  if (!seen.event) throw unfinishedStream(call, 'before its first event')
  if (!seen.response) throw invalidReply(call, 'a stream without a response')
  const part = assembler.finish()
  if (response !== undefined) return toReply(part, readFinishReason(response, call), response)
  if (call.isDone?.() === true && !isEmpty(part)) return toReply(part, 'stop', {})
  throw unfinishedStream(call, 'without the end of its response')
}

/** A response as our reply, and the ways in which a response ends. */
export function readResponse(response: unknown, call: CallContext): ModelReply {
  const body = readBody(response, call)
  const { status = 'completed', output } = body // some gateways give a whole body no status
  const finishReason = readFinishReason({ ...body, status }, call)
  if (!Array.isArray(output)) throw invalidReply(call, 'a reply without output')
  return toReply(readOutput(output), finishReason, body)
}

/** Throws for a response that failed, or has not ended. */
function readFinishReason(response: Record<string, unknown>, call: CallContext): FinishReason {
  const { status, error, incomplete_details: details } = response
  switch (status) {
    case 'completed':
      return 'stop'
    case 'incomplete':
      // cut off for any other reason, the text is no answer
      return isRecord(details) && details['reason'] === 'content_filter' ? 'content-filter' : 'length'
    case 'failed':
    case 'cancelled':
      throw bodyError(error ?? { message: `the response is ${status}` }, call)
    default:
      throw unfinishedReply(call, 'without a final status')
  }
}

type ResponseEvent = Readonly<Record<string, unknown>>

/**
 * Puts a streamed response together. Pieces become items, items the output that the last event repeats. Servers leave
 * the one or the other out, so each field is taken from the most complete form that has come.
 */
class ResponseAssembler {
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
  readonly #indices = new Map<string, number>()

  /** Takes an event, and returns the deltas that it has for the caller. */
  add(event: ResponseEvent): readonly ModelDelta[] {
    const delta = readText(event['delta'])
    const index = this.#indexOf(event)
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

  /** Where a server counts no items, they are told apart by their ids. */
  #indexOf(event: ResponseEvent): number | undefined {
    const { item } = event
    const id = readText(event['item_id']) || (isRecord(item) ? readText(item['id']) : '')
    const index = readIndex(event['output_index']) ?? this.#indices.get(id)
    if (index !== undefined || id === '') return index
    const next = this.#indices.size
    this.#indices.set(id, next)
    return next
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

/**
 * The reasoning of a stream. Each of its parts is a paragraph, as in the reply that is not streamed; and where a
 * server sends the same reasoning twice, as text and as summary, the one that comes first counts.
 */
class ReasoningAssembler {
  text = ''
  #type: unknown
  #part = ''

  /** Adds a delta, and returns the piece that it adds to the text; empty for a repetition. */
  add(event: Record<string, unknown>): string {
    const delta = readText(event['delta'])
    this.#type ??= event['type']
    if (delta === '' || event['type'] !== this.#type) return ''
    const part = `${String(event['output_index'] ?? event['item_id'])}:${String(event['summary_index'] ?? event['content_index'])}`
    const piece = this.text !== '' && part !== this.#part ? `\n\n${delta}` : delta
    this.#part = part
    this.text += piece
    return piece
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

export const responses: Api = {
  path,
  quirks: [...schemaQuirks, 'lacks-encrypted-reasoning', 'refuses-kept-fields'],
  send: (client, call) => post<unknown>(client, call, false),
  sendStreaming: (client, call) => post<AsyncIterable<unknown>>(client, call, true),
  readReply: readResponse,
  isWhole: (event) => event['type'] === undefined && Array.isArray(event['output']),
  collectStream: collectEvents,
}

function post<Reply>(client: OpenAI, call: ApiCall, stream: boolean): APIPromise<Reply> {
  const { modelId, request, settings, options, quirks, texts } = call
  const server = { baseURL: client.baseURL, quirks }
  if (texts === undefined) {
    const body = { ...toParams(modelId, request, settings, server), stream }
    return client.post<Reply>(path, { ...options, body, stream })
  }
  const frame = { ...toFrame(modelId, request, settings, server), stream }
  const body = bodyText(frame, {
    ...toolList(request.tools, texts.tools, formName(server), (tool) => toTool(tool, server)),
    input: inputText(request, quirks, texts.messages),
  })
  return client.post<Reply>(path, { ...options, headers: jsonHeaders, body, stream })
}
