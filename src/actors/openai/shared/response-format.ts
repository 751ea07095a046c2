/** The shape of an answer as OpenAI expects it, and the error of a server that does not support it. */
import type { JsonValue } from '../../values/json.ts'
import { isRecord } from '../../values/json.ts'
import type { ResponseFormat } from '../../chat-model.ts'

type JsonSchema = Readonly<Record<string, JsonValue>>

interface NamedSchema {
  readonly name: string
  readonly schema: Record<string, unknown>
  readonly strict: boolean
}

/** Strict where the schema allows it: then the server guarantees the shape. Strict wants every property required. */
export function namedSchema({ name, schema }: ResponseFormat): NamedSchema {
  const strict = toStrict(schema)
  return strict === undefined
    ? { name, schema: { ...schema }, strict: false }
    : { name, schema: strict, strict: true }
}

/** The keywords that strict mode refuses, by the Structured Outputs guide of OpenAI. */
const refused = ['allOf', 'oneOf', 'not', 'patternProperties', 'propertyNames', 'if', 'default']

function toStrict(schema: JsonSchema): Record<string, unknown> | undefined {
  if (refused.some((keyword) => keyword in schema)) return undefined
  const strict: Record<string, unknown> = { ...schema }
  if (schema['type'] === 'object') {
    const { properties = {}, required = [], additionalProperties = false } = schema
    if (!isRecord(properties) || !Array.isArray(required) || additionalProperties !== false) return undefined
    if (Object.keys(properties).some((key) => !required.includes(key))) return undefined
    const parts = Object.entries(properties).map(([key, part]) => [key, strictPart(part)] as const)
    if (parts.some(([, part]) => part === undefined)) return undefined
    return { ...strict, properties: Object.fromEntries(parts), additionalProperties: false }
  }
  for (const keyword of ['items', 'anyOf'] as const) {
    const part = schema[keyword]
    if (part === undefined) continue
    const parts = Array.isArray(part) ? part.map(strictPart) : strictPart(part)
    if (parts === undefined || (Array.isArray(parts) && parts.includes(undefined))) return undefined
    strict[keyword] = parts
  }
  return strict
}

function strictPart(part: unknown): Record<string, unknown> | undefined {
  return isRecord(part) ? toStrict(part as JsonSchema) : undefined
}
