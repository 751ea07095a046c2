/** The content of a reply, and how it ended, as our reply. */
import {
  type FinishReason,
  type JsonValue,
  type ModelReply,
  type ModelResponse,
  type ProviderCall,
  RetryableError,
  type Source,
  type ToolCall,
  type Usage,
} from '../../index.ts'
import { isRecord, reportedUsage } from '../../kit/index.ts'
import { distinct, partedReply } from '../../kit/host.ts'
import type {
  LanguageModelV4FinishReason,
  LanguageModelV4ResponseMetadata,
  LanguageModelV4Usage,
} from '@ai-sdk/provider'
import { parsed, type Call, type Content, type Words } from './content.ts'
import { keptParts } from './kept-parts.ts'
import { withMadeImages, type ImageTools } from './made-images.ts'

export interface ReplyEnd {
  readonly finishReason: LanguageModelV4FinishReason
  /** Absent where a provider does not keep to the specification. */
  readonly usage: LanguageModelV4Usage | undefined
  readonly model: string
  readonly images: ImageTools
  /** What the reply cites. */
  readonly sources: readonly Source[]
  /** The text of the answer, where the provider names one of several. */
  readonly answer?: string | undefined
  /** What the provider says about the reply. */
  readonly response?: LanguageModelV4ResponseMetadata | undefined
}

/** Thoughts in the text are reasoning. Throws a `RetryableError` for a reply that the provider did not complete. */
export function toReply(
  given: readonly Content[],
  { finishReason, usage, model, images, sources, answer, response }: ReplyEnd,
): ModelReply {
  const content = withMadeImages(given, images)
  const calls = content.filter((part): part is Call => part.type === 'call')
  const ended = readFinish(finishReason, model)
  const { thoughts, answer: text } = partedReply(answer ?? joined(content, 'text'))
  const reasoning = [joined(content, 'reasoning'), thoughts].filter((words) => words !== '').join('\n\n')
  const kept = keptParts(content)
  const executed = content.filter((part): part is Call => part.type === 'provider-call')
  const files = content.flatMap((part) => (part.type === 'file' ? [part.file] : []))
  return {
    text,
    ...(reasoning === '' ? {} : { reasoning }),
    ...(files.length === 0 ? {} : { files }),
    ...(sources.length === 0 ? {} : { sources: distinct(sources) }),
    toolCalls: calls.map((call, index) => toToolCall(call, ended === 'length' && index === calls.length - 1)),
    finishReason: ended === 'stop' && calls.length > 0 ? 'tool-calls' : ended,
    usage: readUsage(usage),
    ...(response === undefined ? {} : { response: responseOf(response) }),
    ...(executed.length === 0
      ? {}
      : { providerCalls: executed.map((call) => toProviderCall(call, content)) }),
    ...(kept === undefined ? {} : { providerData: kept }),
  }
}

function responseOf({ id, modelId }: LanguageModelV4ResponseMetadata): ModelResponse {
  return { ...(id === undefined ? {} : { id }), ...(modelId === undefined ? {} : { modelId }) }
}

function joined(content: readonly Content[], type: Words['type']): string {
  return content.map((part) => (part.type === type && 'text' in part ? part.text : '')).join('')
}

function readFinish({ unified, raw }: LanguageModelV4FinishReason, model: string): FinishReason {
  switch (unified) {
    case 'stop':
    case 'length':
    case 'tool-calls':
      return unified
    case 'content-filter':
      return raw === 'refusal' ? 'refusal' : unified
    case 'other':
      return 'unknown'
    case 'error':
    case 'interrupted':
      throw new RetryableError(`Model "${model}" did not complete its reply (${raw ?? unified}).`, {
        code: 'MODEL_REPLY_INCOMPLETE',
      })
  }
}

/** `isCut`: the reply was cut off in this call or after it. Then no arguments are not the same as none yet. */
function toToolCall({ id, name, input }: Call, isCut: boolean): ToolCall {
  if (input.trim() === '' && !isCut) return { id, name, args: {} }
  const args = parsed(input)
  return isRecord(args)
    ? { id, name, args: args as Record<string, JsonValue> }
    : { id, name, args: null, malformed: input }
}

function toProviderCall({ id, name, input }: Call, content: readonly Content[]): ProviderCall {
  const hasFailed = content.some((part) => part.type === 'provider-result' && part.id === id && part.isError)
  return { name, args: (parsed(input) ?? {}) as JsonValue, ...(hasFailed ? { isError: true } : {}) }
}

/** A count that is absent, or of another type, leaves the usage `incomplete`, and so does a reply without a usage. */
function readUsage(usage: Partial<LanguageModelV4Usage> | undefined): Usage {
  const { inputTokens, outputTokens } = usage ?? {}
  const more = (name: string, count: number | undefined) =>
    count !== undefined && count > 0 ? { [name]: count } : {}
  return reportedUsage({
    inputTokens: inputTokens?.total,
    outputTokens: outputTokens?.total,
    ...more('cachedInputTokens', inputTokens?.cacheRead),
    ...more('cacheWriteTokens', inputTokens?.cacheWrite),
    ...more('reasoningTokens', outputTokens?.reasoning),
  })
}
