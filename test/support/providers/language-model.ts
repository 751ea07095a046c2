/** A language model of the AI SDK's specification that says what a test gives it, and keeps the calls that it receives. */
import { ReadableStream } from 'node:stream/web'
import type {
  LanguageModelV3,
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4Content,
  LanguageModelV4FinishReason,
  LanguageModelV4StreamPart,
  LanguageModelV4Usage,
} from '@ai-sdk/provider'

/** One reply: the same whether it is streamed or not. */
export interface Said {
  readonly content?: readonly LanguageModelV4Content[]
  readonly finish?: Partial<LanguageModelV4FinishReason>
  readonly usage?: LanguageModelV4Usage
  readonly structuredOutputText?: string
  /** The call fails with it; a stream, after its content. */
  readonly error?: unknown
  /** The parts of the stream, where they are others than those of the content. */
  readonly parts?: readonly LanguageModelV4StreamPart[]
}

export interface FakeLanguageModel extends LanguageModelV4 {
  readonly calls: LanguageModelV4CallOptions[]
}

export const someUsage: LanguageModelV4Usage = {
  inputTokens: { total: 10, noCache: 4, cacheRead: 3, cacheWrite: 3 },
  outputTokens: { total: 5, text: 3, reasoning: 2 },
}

export function languageModel(...replies: readonly Said[]): FakeLanguageModel {
  const calls: LanguageModelV4CallOptions[] = []
  const next = (options: LanguageModelV4CallOptions): Said => {
    calls.push(options)
    const said = replies[calls.length - 1]
    if (said === undefined) throw new Error(`The language model has ${replies.length} replies.`)
    return said
  }
  return {
    specificationVersion: 'v4',
    provider: 'fake.chat',
    modelId: 'fake-1',
    supportedUrls: {},
    calls,
    async doGenerate(options) {
      const { content = [], usage = someUsage, error, structuredOutputText, ...said } = next(options)
      if (error !== undefined)
        return Promise.reject(error instanceof Error ? error : new Error(JSON.stringify(error)))
      return {
        content: [...content],
        usage,
        finishReason: finishOf(said),
        warnings: [],
        ...(structuredOutputText === undefined ? {} : { structuredOutputText }),
      }
    },
    async doStream(options) {
      const said = next(options)
      const { content = [], usage = someUsage, error, parts } = said
      const ending: readonly LanguageModelV4StreamPart[] =
        error === undefined
          ? [{ type: 'finish', usage, finishReason: finishOf(said) }]
          : [{ type: 'error', error }]
      const all = parts ?? [{ type: 'stream-start', warnings: [] }, ...content.flatMap(streamed), ...ending]
      return { stream: ReadableStream.from(all) as globalThis.ReadableStream<LanguageModelV4StreamPart> }
    },
  }
}

function finishOf({ finish }: Said): LanguageModelV4FinishReason {
  return { unified: 'stop', raw: 'end', ...finish }
}

/** A text comes in two pieces, and its metadata at its end. */
function streamed(part: LanguageModelV4Content, index: number): LanguageModelV4StreamPart[] {
  if (part.type !== 'text' && part.type !== 'reasoning') return [part]
  const { type, text, providerMetadata } = part
  const id = `${index}`
  return [
    { type: `${type}-start`, id },
    { type: `${type}-delta`, id, delta: text.slice(0, 3) },
    { type: `${type}-delta`, id, delta: text.slice(3) },
    { type: `${type}-end`, id, ...(providerMetadata === undefined ? {} : { providerMetadata }) },
  ]
}

/** The same model, as one of version 3. */
export function asVersion3(model: LanguageModelV4): LanguageModelV3 {
  return { ...model, specificationVersion: 'v3' } as unknown as LanguageModelV3
}
