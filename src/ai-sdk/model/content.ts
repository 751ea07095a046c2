/** The content of a reply, in the order in which the model gave it. */
import { type FilePart, type JsonValue, type Source, TerminalError } from '../../index.ts'
import { documentSource, toJsonValue, webSource } from '../../kit/index.ts'
import type {
  LanguageModelV4Content,
  LanguageModelV4Source,
  SharedV4ProviderMetadata,
} from '@ai-sdk/provider'
import { readFile } from './files.ts'

/** What the provider says about a part, and wants back with it, by the name of the provider. */
interface Marked {
  readonly options?: JsonValue
}

export interface Text extends Marked {
  readonly type: 'text'
  readonly text: string
}

export interface Reasoning extends Marked {
  readonly type: 'reasoning'
  readonly text: string
}

export type Words = Text | Reasoning

/** A call of a tool. `input`: JSON as text. */
export interface Call extends Marked {
  readonly type: 'call' | 'provider-call'
  readonly id: string
  readonly name: string
  readonly input: string
}

/** The result of a tool that the provider has executed. */
export interface ProviderResult extends Marked {
  readonly type: 'provider-result'
  readonly id: string
  readonly name: string
  readonly result: JsonValue
  readonly isError: boolean
}

/** A file that the model has made. */
export interface MadeFile extends Marked {
  readonly type: 'file'
  readonly file: FilePart
  /** It comes from the result of a tool of the provider, and has no place of its own in a message. */
  readonly isResult?: true
}

/** A part that only the provider understands. */
export interface CustomPart extends Marked {
  readonly type: 'custom'
  readonly kind: `${string}.${string}`
}

export type Content = Words | Call | ProviderResult | MadeFile | CustomPart

/** What a reply cites. */
export function readSources(parts: readonly LanguageModelV4Content[]): readonly Source[] {
  return parts.flatMap((part) => (part.type === 'source' ? (readSource(part) ?? []) : []))
}

function readSource(source: LanguageModelV4Source): Source | undefined {
  if (source.sourceType === 'url') return webSource(source.url, source.title)
  return documentSource(source.title || source.filename, source.mediaType)
}

/**
 * A part of the message; `undefined` for one that is not in it (a source, a file of the reasoning, a result that is not final).
 * Throws a `TerminalError` for a part that a conversation has no place for.
 */
export function readPart(part: LanguageModelV4Content, model: string): Content | undefined {
  switch (part.type) {
    case 'text':
    case 'reasoning':
      return { type: part.type, text: part.text, ...optionsOf(part.providerMetadata) }
    case 'tool-call':
      return {
        type: part.providerExecuted === true ? 'provider-call' : 'call',
        id: part.toolCallId,
        name: part.toolName,
        input: part.input,
        ...optionsOf(part.providerMetadata),
      }
    case 'tool-result':
      if (part.preliminary === true) return undefined
      return {
        type: 'provider-result',
        id: part.toolCallId,
        name: part.toolName,
        result: toJsonValue(part.result, `The result of "${part.toolName}"`),
        isError: part.isError === true,
        ...optionsOf(part.providerMetadata),
      }
    case 'custom':
      return { type: 'custom', kind: part.kind, ...optionsOf(part.providerMetadata) }
    case 'file':
      return { type: 'file', file: readFile(part), ...optionsOf(part.providerMetadata) }
    case 'source':
    case 'reasoning-file':
      return undefined
    case 'tool-approval-request':
      throw new TerminalError(
        `Model "${model}" replied with a request to approve a call of its own, which is not supported.`,
        { code: 'MODEL_REPLY_UNSUPPORTED' },
      )
  }
}

/** The metadata of a part as options for the part when it goes back. */
export function optionsOf(metadata: SharedV4ProviderMetadata | undefined): Marked {
  return metadata === undefined ? {} : { options: toJsonValue(metadata, 'The metadata of the provider') }
}

/** The value of a JSON text; `undefined` for a text that is no JSON. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
