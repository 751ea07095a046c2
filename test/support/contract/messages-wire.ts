/** The replies of a contract as Anthropic's Messages API sends them. */
import type { ContractReply } from 'troupe/testing'
import { halves, type ContractWire } from './contract-server.ts'

const begun = { type: 'message', id: 'msg_1', role: 'assistant', model: 'claude-sonnet-4-5' }

type Block = { readonly type: string; readonly [field: string]: unknown }

const citationsOf = ({ sources = [] }: ContractReply): readonly object[] =>
  sources.map((source) => ({
    type: 'web_search_result_location',
    cited_text: 'The moon',
    encrypted_index: 'sealed',
    ...source,
  }))

function blocksOf(said: ContractReply): readonly Block[] {
  const { text, reasoning, toolCalls = [] } = said
  const citations = citationsOf(said)
  return [
    ...(reasoning === undefined ? [] : [{ type: 'thinking', thinking: reasoning, signature: 'signed' }]),
    ...(text === undefined ? [] : [{ type: 'text', text, ...(citations.length === 0 ? {} : { citations }) }]),
    ...toolCalls.map(({ id, name, args }) => ({ type: 'tool_use', id, name, input: args })),
  ]
}

function stopOf({ ends, toolCalls = [] }: ContractReply): string {
  if (ends === 'length') return 'max_tokens'
  return toolCalls.length > 0 ? 'tool_use' : 'end_turn'
}

/** `input_tokens` leaves out those of the cache. */
function usageOf({ usage = { inputTokens: 1, outputTokens: 1 } }: ContractReply): object {
  const { cachedInputTokens = 0, cacheWriteTokens = 0, reasoningTokens = 0 } = usage
  return {
    input_tokens: usage.inputTokens - cachedInputTokens - cacheWriteTokens,
    output_tokens: usage.outputTokens,
    cache_read_input_tokens: cachedInputTokens,
    cache_creation_input_tokens: cacheWriteTokens,
    output_tokens_details: { thinking_tokens: reasoningTokens },
  }
}

const opened = (said: ContractReply) => ({
  type: 'message_start',
  message: { ...begun, content: [], usage: usageOf(said) },
})

function blockEvents(block: Block, index: number): readonly object[] {
  const delta = (piece: object) => ({ type: 'content_block_delta', index, delta: piece })
  const start = (empty: object) => ({
    type: 'content_block_start',
    index,
    content_block: { ...block, ...empty },
  })
  const stop = { type: 'content_block_stop', index }
  switch (block.type) {
    case 'thinking':
      return [
        start({ thinking: '', signature: '' }),
        ...halves(String(block['thinking'])).map((thinking) => delta({ type: 'thinking_delta', thinking })),
        delta({ type: 'signature_delta', signature: block['signature'] }),
        stop,
      ]
    case 'text':
      return [
        start({ text: '', citations: [] }),
        ...halves(String(block['text'])).map((text) => delta({ type: 'text_delta', text })),
        ...((block['citations'] ?? []) as readonly object[]).map((citation) =>
          delta({ type: 'citations_delta', citation }),
        ),
        stop,
      ]
    default: {
      const input = JSON.stringify(block['input'])
      const pieces = input === '{}' ? [''] : halves(input)
      return [
        start({ input: {} }),
        ...pieces.map((partial_json) => delta({ type: 'input_json_delta', partial_json })),
        stop,
      ]
    }
  }
}

export const messagesWire: ContractWire = {
  reply: (said) => ({ ...begun, content: blocksOf(said), stop_reason: stopOf(said), usage: usageOf(said) }),
  events: (said) => [
    opened(said),
    ...blocksOf(said).flatMap(blockEvents),
    {
      type: 'message_delta',
      delta: { stop_reason: stopOf(said), stop_sequence: null },
      usage: usageOf(said),
    },
    { type: 'message_stop' },
  ],
  beginning: (text) => [opened({}), ...blockEvents({ type: 'text', text }, 0).slice(0, -1)],
  error: (status, message) => ({
    type: 'error',
    error: {
      type:
        status === 429 ? 'rate_limit_error' : status === 503 ? 'overloaded_error' : 'invalid_request_error',
      message,
    },
  }),
}
