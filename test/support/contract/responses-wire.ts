/** The replies of a contract as the Responses API sends them. */
import type { ContractReply } from 'troupe/testing'
import { argumentsOf, halves, type ContractWire } from './contract-server.ts'

const begun = { id: 'resp_1', object: 'response', created_at: 1, model: 'gpt-5.4', status: 'in_progress' }

type Item = { readonly type: string; readonly [field: string]: unknown }

const reasoningItem = (text: string): Item => ({
  type: 'reasoning',
  id: 'rs_1',
  summary: text === '' ? [] : [{ type: 'summary_text', text }],
  encrypted_content: 'sealed',
})
const annotationsOf = ({ sources = [] }: ContractReply): readonly object[] =>
  sources.map((source) => ({ type: 'url_citation', start_index: 0, end_index: 1, ...source }))

const messageItem = (text: string, annotations: readonly object[] = []): Item => ({
  type: 'message',
  id: 'msg_1',
  role: 'assistant',
  status: 'completed',
  content: text === '' ? [] : [{ type: 'output_text', text, annotations }],
})

function itemsOf(said: ContractReply): readonly Item[] {
  const { text, reasoning, toolCalls = [], files = [] } = said
  return [
    ...files.map(({ mediaType, data }, index) => ({
      type: 'image_generation_call',
      id: `ig_${index}`,
      status: 'completed',
      output_format: mediaType.slice('image/'.length),
      result: data,
    })),
    ...(reasoning === undefined ? [] : [reasoningItem(reasoning)]),
    ...(text === undefined ? [] : [messageItem(text, annotationsOf(said))]),
    ...toolCalls.map((call, index) => ({
      type: 'function_call',
      id: `fc_${index}`,
      call_id: call.id,
      name: call.name,
      arguments: argumentsOf(call),
      status: 'completed',
    })),
  ]
}

function whole(said: ContractReply) {
  const { ends, usage = { inputTokens: 1, outputTokens: 1 } } = said
  const reason = ends === 'length' ? 'max_output_tokens' : 'content_filter'
  return {
    ...begun,
    status: ends === undefined ? 'completed' : 'incomplete',
    incomplete_details: ends === undefined ? null : { reason },
    error: null,
    output: itemsOf(said),
    usage: {
      input_tokens: usage.inputTokens,
      output_tokens: usage.outputTokens,
      total_tokens: usage.inputTokens + usage.outputTokens,
      input_tokens_details: {
        cached_tokens: usage.cachedInputTokens ?? 0,
        cache_write_tokens: usage.cacheWriteTokens ?? 0,
      },
      output_tokens_details: { reasoning_tokens: usage.reasoningTokens ?? 0 },
    },
  }
}

const textPiece = (delta: string, output_index: number) => ({
  type: 'response.output_text.delta',
  item_id: 'msg_1',
  output_index,
  content_index: 0,
  delta,
})

/** The events between the beginning of an item and its end. */
function pieces(item: Item, output_index: number, said: ContractReply): readonly object[] {
  const { text = '', reasoning = '' } = said
  if (item.type === 'message') {
    return [
      ...halves(text).map((delta) => textPiece(delta, output_index)),
      ...annotationsOf(said).map((annotation, annotation_index) => ({
        type: 'response.output_text.annotation.added',
        item_id: 'msg_1',
        output_index,
        content_index: 0,
        annotation_index,
        annotation,
      })),
    ]
  }
  if (item.type === 'image_generation_call') return []
  const place = { item_id: item['id'], output_index }
  if (item.type === 'reasoning') {
    const part = { ...place, summary_index: 0 }
    return [
      { type: 'response.reasoning_summary_part.added', ...part, part: { type: 'summary_text', text: '' } },
      ...halves(reasoning).map((delta) => ({
        type: 'response.reasoning_summary_text.delta',
        ...part,
        delta,
      })),
      {
        type: 'response.reasoning_summary_part.done',
        ...part,
        part: { type: 'summary_text', text: reasoning },
      },
    ]
  }
  return halves(String(item['arguments'])).map((delta) => ({
    type: 'response.function_call_arguments.delta',
    ...place,
    delta,
  }))
}

function empty(item: Item): Item {
  switch (item.type) {
    case 'message':
      return { ...item, content: [], status: 'in_progress' }
    case 'reasoning':
      return { ...item, summary: [] }
    default:
      return { ...item, arguments: '', status: 'in_progress' }
  }
}

export const responsesWire: ContractWire = {
  reply: whole,
  events: (said) => [
    { type: 'response.created', response: begun },
    ...itemsOf(said).flatMap((item, output_index) => [
      { type: 'response.output_item.added', output_index, item: empty(item) },
      ...pieces(item, output_index, said),
      { type: 'response.output_item.done', output_index, item },
    ]),
    { type: said.ends === undefined ? 'response.completed' : 'response.incomplete', response: whole(said) },
  ],
  beginning: (text) => [
    { type: 'response.created', response: begun },
    { type: 'response.output_item.added', output_index: 0, item: messageItem('') },
    textPiece(text, 0),
  ],
  error: (status, message) => ({ error: { message, type: 'error', param: null, code: String(status) } }),
}
