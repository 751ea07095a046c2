/** The fields that a server of Chat Completions is given back with a message of a model, and with each of its calls. */
import type { AssistantMessage, ToolCall } from '../../message.ts'
import { isRecord, type JsonValue } from '../../values/json.ts'
import type { Quirks } from '../shared/quirks.ts'
import { readMessageData } from './kept-fields.ts'

type Fields = Readonly<Record<string, JsonValue>>

export function keptFields(message: AssistantMessage, quirks: Quirks): Fields {
  const { fields = {}, reasoningField } = quirks.has('refuses-kept-fields')
    ? {}
    : readMessageData(message.providerData)
  if (reasoningField !== undefined && message.reasoning !== undefined) {
    return { ...fields, [reasoningField]: message.reasoning }
  }
  return quirks.has('wants-reasoning') ? { ...fields, reasoning_content: '' } : fields
}

/** `index`: the position of the call in its message. Of parallel calls only the first one has a signature. */
export function keptCallFields(
  { providerData }: ToolCall,
  index: number,
  { toolCalls = [] }: AssistantMessage,
  quirks: Quirks,
): Fields {
  if (quirks.has('refuses-kept-fields')) return {}
  if (isRecord(providerData)) return providerData
  const isUnsigned = index === 0 && toolCalls.every((call) => call.providerData === undefined)
  return quirks.has('wants-signature') && isUnsigned ? { extra_content: foreignSignature } : {}
}

/** Gemini's own word for a call that another model has made. */
const foreignSignature = { google: { thought_signature: 'skip_thought_signature_validator' } }
