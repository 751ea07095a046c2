/** The replies of a contract as Chat Completions sends them. */
import type { ContractReply } from 'troupe/testing'
import { argumentsOf, halves, type ContractWire } from './contract-server.ts'

const chunk = (delta: object, finish_reason: string | null = null) => ({
  id: 'c1',
  object: 'chat.completion.chunk',
  created: 1,
  model: 'gpt-x',
  choices: [{ index: 0, delta, finish_reason }],
})

function finishOf({ ends, toolCalls = [] }: ContractReply): string {
  if (ends === 'length') return 'length'
  if (ends === 'content-filter') return 'content_filter'
  return toolCalls.length > 0 ? 'tool_calls' : 'stop'
}

function usageOf({ usage = { inputTokens: 1, outputTokens: 1 } }: ContractReply): object {
  return {
    prompt_tokens: usage.inputTokens,
    completion_tokens: usage.outputTokens,
    total_tokens: usage.inputTokens + usage.outputTokens,
    prompt_tokens_details: {
      cached_tokens: usage.cachedInputTokens ?? 0,
      cache_write_tokens: usage.cacheWriteTokens ?? 0,
    },
    completion_tokens_details: { reasoning_tokens: usage.reasoningTokens ?? 0 },
  }
}

const callsOf = ({ toolCalls = [] }: ContractReply) =>
  toolCalls.map((call, index) => ({
    index,
    id: call.id,
    type: 'function',
    function: { name: call.name, arguments: argumentsOf(call) },
  }))

const imagesOf = ({ files = [] }: ContractReply): object =>
  files.length === 0
    ? {}
    : {
        images: files.map(({ mediaType, data }) => ({
          type: 'image_url',
          image_url: { url: `data:${mediaType};base64,${data}` },
        })),
      }

const annotationsOf = ({ sources = [] }: ContractReply): object =>
  sources.length === 0
    ? {}
    : {
        annotations: sources.map((source) => ({
          type: 'url_citation',
          url_citation: { start_index: 0, end_index: 1, ...source },
        })),
      }

export const chatWire: ContractWire = {
  reply: (said) => {
    const { text, reasoning } = said
    const calls = callsOf(said)
    const message = {
      role: 'assistant',
      content: text ?? null,
      ...(reasoning === undefined ? {} : { reasoning_content: reasoning }),
      ...(calls.length === 0 ? {} : { tool_calls: calls }),
      ...imagesOf(said),
      ...annotationsOf(said),
    }
    const choices = [{ index: 0, message, finish_reason: finishOf(said) }]
    return { id: 'c1', object: 'chat.completion', created: 1, model: 'gpt-x', choices, usage: usageOf(said) }
  },
  events: (said) => [
    chunk({ role: 'assistant', content: '' }),
    ...halves(said.reasoning ?? '').map((piece) => chunk({ reasoning_content: piece })),
    ...halves(said.text ?? '').map((piece) => chunk({ content: piece })),
    ...callsOf(said).flatMap(({ index, id, type, function: { name, arguments: args } }) => [
      chunk({ tool_calls: [{ index, id, type, function: { name, arguments: '' } }] }),
      ...halves(args).map((piece) => chunk({ tool_calls: [{ index, function: { arguments: piece } }] })),
    ]),
    { ...chunk({ ...imagesOf(said), ...annotationsOf(said) }, finishOf(said)), usage: usageOf(said) },
    '[DONE]',
  ],
  beginning: (text) => [chunk({ role: 'assistant', content: '' }), chunk({ content: text })],
  error: (status, message) => ({ error: { message, type: 'error', param: null, code: String(status) } }),
}
