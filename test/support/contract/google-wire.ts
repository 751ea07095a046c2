/** The replies of a contract as Google's Generative Language API sends them. */
import type { ContractReply } from 'troupe/testing'
import { halves, type ContractWire } from './contract-server.ts'

type Part = { readonly [field: string]: unknown }

function wordsOf(text: string | undefined, more: object = {}): readonly Part[] {
  return text === undefined ? [] : [{ text, ...more }]
}

/** The ids of calls are the client's own. */
function partsOf({ text, reasoning, toolCalls = [], files = [] }: ContractReply): readonly Part[] {
  return [
    ...wordsOf(reasoning, { thought: true }),
    ...wordsOf(text),
    ...files.map(({ mediaType: mimeType, data }) => ({ inlineData: { mimeType, data } })),
    ...toolCalls.map(({ name, args }) => ({ functionCall: { name, args } })),
  ]
}

function finishOf({ ends }: ContractReply): string {
  if (ends === 'length') return 'MAX_TOKENS'
  return ends === 'content-filter' ? 'SAFETY' : 'STOP'
}

function groundsOf({ sources = [] }: ContractReply): object {
  if (sources.length === 0) return {}
  const groundingChunks = sources.map(({ url: uri, title }) => ({ web: { uri, title } }))
  return { groundingMetadata: { groundingChunks } }
}

/** `candidatesTokenCount` leaves out those of the reasoning. */
function usageOf({ usage = { inputTokens: 1, outputTokens: 1 } }: ContractReply): object {
  const { inputTokens, outputTokens, cachedInputTokens = 0, reasoningTokens = 0 } = usage
  return {
    promptTokenCount: inputTokens,
    candidatesTokenCount: outputTokens - reasoningTokens,
    thoughtsTokenCount: reasoningTokens,
    cachedContentTokenCount: cachedInputTokens,
    totalTokenCount: inputTokens + outputTokens,
  }
}

const candidate = (parts: readonly Part[], more: object = {}) => ({
  candidates: [{ index: 0, content: { role: 'model', parts }, ...more }],
})

function pieces(part: Part): readonly Part[] {
  const { text, ...more } = part
  return typeof text === 'string' ? halves(text).map((piece) => ({ ...more, text: piece })) : [part]
}

export const googleWire: ContractWire = {
  reply: (said) => ({
    ...candidate(partsOf(said), { finishReason: finishOf(said), ...groundsOf(said) }),
    usageMetadata: usageOf(said),
  }),
  events: (said) => [
    ...partsOf(said)
      .flatMap(pieces)
      .map((part) => candidate([part])),
    { ...candidate([], { finishReason: finishOf(said), ...groundsOf(said) }), usageMetadata: usageOf(said) },
  ],
  beginning: (text) => [candidate([{ text }])],
  error: (status, message) => ({ error: { code: status, message, status: 'FAILED' } }),
}
