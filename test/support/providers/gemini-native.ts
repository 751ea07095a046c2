/** Gemini's own API: the first call of each reply is signed, and must come back with this signature. */
import type { Body, Provider, Turn } from './provider-server.ts'

interface Part {
  readonly text?: string
  readonly thought?: boolean
  readonly thoughtSignature?: string
  readonly functionCall?: { readonly name: string; readonly args: unknown }
}

interface Content {
  readonly role: 'user' | 'model'
  readonly parts: readonly Part[]
}

const contentsOf = (body: Body): readonly Content[] => body['contents'] as readonly Content[]

export function geminiNative(): Provider {
  const partsOf = ({ text, calls = [] }: Turn, n: number): readonly Part[] => [
    { text: `thought ${n}`, thought: true },
    ...(text === undefined ? [] : [{ text }]),
    ...calls.map(({ name, args }, index) => ({
      functionCall: { name, args },
      ...(index === 0 ? { thoughtSignature: `signature-${n}` } : {}),
    })),
  ]
  const answer = (parts: readonly Part[], finish?: 'STOP') => ({
    candidates: [{ content: { role: 'model', parts }, ...(finish && { finishReason: finish }) }],
    usageMetadata: {
      promptTokenCount: 10,
      candidatesTokenCount: 3,
      thoughtsTokenCount: 2,
      cachedContentTokenCount: 3,
      totalTokenCount: 15,
    },
  })
  return {
    read: (body, path) => ({
      system: systemOf(body),
      answers: contentsOf(body).filter(({ role }) => role === 'model').length,
      stream: path.includes('stream'),
    }),
    refusal: (body) => {
      const signatures = contentsOf(body).flatMap(({ role, parts }) => {
        const first = parts.find(({ functionCall }) => functionCall !== undefined)
        return role === 'model' && first !== undefined ? [first.thoughtSignature ?? 'none'] : []
      })
      const at = signatures.findIndex((signature) => !/^signature-\d+$/.test(signature))
      return at === -1
        ? undefined
        : `Function call is missing a thought_signature in functionCall parts. Position ${at}.`
    },
    reply: (turn, n) => answer(partsOf(turn, n), 'STOP'),
    events: (turn, n) => [...partsOf(turn, n).map((part) => answer([part])), answer([{ text: '' }], 'STOP')],
  }
}

function systemOf(body: Body): string {
  const { parts = [] } = (body['systemInstruction'] ?? {}) as { readonly parts?: readonly Part[] }
  return parts.map(({ text }) => text).join('')
}
