/**
 * The parts of a reply as its `providerData`: their order, and what the provider says about each. The provider is given
 * back the same parts. The text, the calls and the files of a message stand in the message, and are only referred to.
 */
import { type AssistantMessage, type Content as MessageContent, type JsonValue, textOf } from '../../index.ts'
import { filesOf, isRecord } from '../../kit/index.ts'
import { labelOf } from '../../kit/host.ts'
import { parsed, type Content, type CustomPart, type ProviderResult, type Reasoning } from './content.ts'

interface Kept {
  readonly options?: JsonValue
}

/** The next `length` characters of the text of the message. */
interface KeptText extends Kept {
  readonly type: 'text'
  readonly length: number
}

/** The call of the message at this position, from 0. */
interface KeptCall extends Kept {
  readonly type: 'call'
  readonly index: number
}

/** The file of the message at this position, from 0. */
interface KeptFile extends Kept {
  readonly type: 'file'
  readonly index: number
}

interface KeptProviderCall extends Kept {
  readonly type: 'provider-call'
  readonly id: string
  readonly name: string
  readonly input: JsonValue
}

/** Reasoning goes back as it came: a signature is for these words alone. */
export type KeptPart =
  KeptText | Reasoning | KeptCall | KeptFile | KeptProviderCall | ProviderResult | CustomPart

const source = 'ai-sdk'

/**
 * `undefined` for a reply that its text and its calls tell whole. Reasoning at the end, as of a reply that was cut off,
 * is left out: it led to nothing, and servers refuse it.
 */
export function keptParts(reply: readonly Content[]): JsonValue | undefined {
  const placed = reply.filter((part) => part.type !== 'file' || part.isResult !== true)
  const content = placed.slice(0, placed.findLastIndex(({ type }) => type !== 'reasoning') + 1)
  if (content.every((part) => (part.type === 'text' || part.type === 'call') && part.options === undefined)) {
    return undefined
  }
  let calls = 0
  let files = 0
  const parts = content.map((part): KeptPart => {
    const kept = part.options === undefined ? {} : { options: part.options }
    switch (part.type) {
      case 'text':
        return { type: 'text', length: part.text.length, ...kept }
      case 'call':
        return { type: 'call', index: calls++, ...kept }
      case 'file':
        return { type: 'file', index: files++, ...kept }
      case 'provider-call':
        return { type: part.type, id: part.id, name: part.name, input: inputOf(part.input), ...kept }
      case 'reasoning':
      case 'provider-result':
      case 'custom':
        return part
    }
  })
  return { source, parts: parts as unknown as JsonValue }
}

function inputOf(text: string): JsonValue {
  return (parsed(text) ?? {}) as JsonValue
}

/** The parts of the reply that became this message; `undefined` where it has none, or other calls than the reply. */
export function partsKeptBy({ content, toolCalls = [], providerData }: AssistantMessage) {
  if (!isRecord(providerData) || providerData['source'] !== source) return undefined
  const parts = providerData['parts'] as unknown as readonly KeptPart[]
  const calls = parts.filter(({ type }) => type === 'call').length
  if (calls !== toolCalls.length) return undefined
  const length = parts.reduce((sum, part) => sum + (part.type === 'text' ? part.length : 0), 0)
  const words = wordsOf(content)
  return length === words.length ? parts : withWholeText(parts, words.length)
}

/** The text of a message without its files, and without the lines that the library has put in for them. */
export function wordsOf(content: MessageContent): string {
  if (typeof content === 'string') return content
  const files = filesOf(content)
  const lines = [textOf(files), ...files.map(labelOf)]
  return content.map((part) => (part.type === 'text' && !lines.includes(part.text) ? part.text : '')).join('')
}

/** A processor has changed the text: it stands where the first text stood, and what was said about it is void. */
function withWholeText(parts: readonly KeptPart[], length: number): readonly KeptPart[] {
  const first = parts.findIndex(({ type }) => type === 'text')
  const text: KeptText = { type: 'text', length }
  if (first === -1) return [text, ...parts]
  return parts
    .filter(({ type }, index) => type !== 'text' || index === first)
    .map((part) => (part.type === 'text' ? text : part))
}
