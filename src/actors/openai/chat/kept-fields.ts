/**
 * The fields of a message that some servers of Chat Completions want back: signatures of Gemini, the reasoning of
 * DeepSeek, and the signed blocks that gateways pass on (OpenRouter, LiteLLM). They come as whole values, or in a
 * stream as pieces.
 */
import { isRecord, type JsonValue } from '../../values/json.ts'
import { readText, type Part, type PartData } from '../shared/part.ts'

type Fields = Readonly<Record<string, JsonValue>>

/** A field that is a list of blocks comes block by block, and a block piece by piece. */
const messageFields = ['extra_content', 'reasoning_details', 'thinking_blocks'] as const
const callFields = ['extra_content', 'provider_specific_fields'] as const

/** The names under which servers send reasoning as text. */
const reasoningFields = ['reasoning_content', 'reasoning'] as const

/** What Chat Completions keeps for a message: it goes back in these fields, the reasoning in the one that it came in. */
export interface MessageData {
  readonly fields?: Fields
  readonly reasoningField?: string
  /** The tag of thoughts that stood in the text: they go back there. */
  readonly thoughts?: string
}

/** The reasoning of a message or of a delta, and the name of its field. */
export function readReasoning(message: Record<string, unknown>): { name: string; text: string } | undefined {
  for (const name of reasoningFields) {
    const text = readText(message[name])
    if (text !== '') return { name, text }
  }
  return undefined
}

/** The fields of a call that the server wants back with it. */
export function readCallFields(call: Record<string, unknown>): PartData | undefined {
  return fieldsOf(call, callFields)
}

/** Collects the fields of a message over the deltas of a stream; a reply that is not streamed is one delta. */
export class KeptFields {
  #fields: Fields | undefined
  #reasoningField: string | undefined

  add(delta: Record<string, unknown>): void {
    this.#reasoningField ??= readReasoning(delta)?.name
    const came = fieldsOf(delta, messageFields)
    if (came === undefined) return
    const fields: Record<string, JsonValue> = { ...this.#fields }
    for (const [name, value] of Object.entries(came)) fields[name] = joined(fields[name], value)
    this.#fields = fields
  }

  /** Empty where the server wants nothing back. */
  get part(): Pick<Part, 'data' | 'keepReasoning'> {
    const fields: PartData = this.#fields === undefined ? {} : { fields: this.#fields }
    if (this.#reasoningField === undefined) return this.#fields === undefined ? {} : { data: fields }
    return { data: { ...fields, reasoningField: this.#reasoningField }, keepReasoning: true }
  }
}

/** The data of a message as `KeptFields` has collected it; values of another form count as absent. */
export function readMessageData(data: unknown): MessageData {
  const { fields, reasoningField, thoughts } = isRecord(data) ? data : {}
  return {
    ...(isRecord(fields) ? { fields: fields as Fields } : {}),
    ...(typeof reasoningField === 'string' ? { reasoningField } : {}),
    ...(typeof thoughts === 'string' ? { thoughts } : {}),
  }
}

function fieldsOf(from: Record<string, unknown>, names: readonly string[]): PartData | undefined {
  const present = names.filter((name) => typeof from[name] === 'object' && from[name] !== null)
  if (present.length === 0) return undefined
  return Object.fromEntries(present.map((name) => [name, from[name] as JsonValue]))
}

function joined(before: JsonValue | undefined, piece: JsonValue): JsonValue {
  if (isList(piece)) return piece.reduce<readonly JsonValue[]>(withBlock, isList(before) ? before : [])
  return isRecord(before) && isRecord(piece) ? { ...before, ...piece } : piece
}

function isList(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value)
}

/** Adds a block, or the piece of one: it continues the block of its index, without an index the last one. */
function withBlock(blocks: readonly JsonValue[], piece: JsonValue): readonly JsonValue[] {
  const at = blocks.findLastIndex((block) => continues(block, piece))
  if (at === -1) return [...blocks, piece]
  return blocks.with(at, { ...(blocks[at] as Fields), ...longer(blocks[at] as Fields, piece as Fields) })
}

function continues(block: JsonValue, piece: JsonValue): boolean {
  if (!isRecord(block) || !isRecord(piece) || block['type'] !== piece['type']) return false
  if (piece['index'] !== undefined) return block['index'] === piece['index']
  return !isSigned(block)
}

/** A signature ends a block. */
function isSigned(block: Record<string, unknown>): boolean {
  return readText(block['signature']) !== '' || readText(block['data']) !== ''
}

/** The texts of a block grow piece by piece; its other fields stay. */
const texts = ['text', 'thinking', 'summary', 'signature', 'data']

function longer(block: Fields, piece: Fields): Fields {
  const grown = Object.entries(piece).flatMap(([name, value]) =>
    typeof value === 'string' && texts.includes(name) ? [[name, readText(block[name]) + value] as const] : [],
  )
  return Object.fromEntries(grown)
}
