/**
 * The JSON Schemas of other systems, such as those of an MCP server. Their patterns are not run: a pattern can take longer
 * than any process lives, and there is no bound to set. They are shown to the model, and left to the server to check.
 */
import { isRecord, type JsonValue } from '../values/json.ts'
import { jsonSchema } from './json-schema.ts'
import type { Schema } from './schema.ts'

type Node = Readonly<Record<string, unknown>>

/** The keywords whose values are schemas by name. */
const named = ['properties', '$defs', 'definitions', 'dependentSchemas']

/** The keywords whose values are no schemas. */
const plain = ['enum', 'const', 'default', 'examples', 'required', 'dependentRequired']

/** As `jsonSchema`, without the patterns; it describes itself as it was given. */
export function foreignSchema(schema: object): Schema<unknown, JsonValue> {
  const { validate, version, vendor } = jsonSchema<JsonValue>(withoutPatterns(schema))['~standard']
  return { '~standard': { validate, version, vendor, jsonSchema: { input: () => ({ ...schema }) } } }
}

/** Of an object with patterns for its fields, any field is accepted that has no schema by its name. */
export function withoutPatterns(schema: object): Node {
  return strip({ ...schema })
}

function strip(schema: Node): Node {
  const { pattern: _pattern, patternProperties, ...rest } = schema
  const { additionalProperties: _closed, unevaluatedProperties: _others, ...open } = rest
  const kept = Object.entries(patternProperties === undefined ? rest : open)
  return Object.fromEntries(
    kept.map(([key, value]) => {
      if (plain.includes(key)) return [key, value]
      if (named.includes(key) && isRecord(value)) return [key, mapped(value)]
      return [key, stripped(value)]
    }),
  )
}

function mapped(table: Node): Node {
  return Object.fromEntries(Object.entries(table).map(([name, part]) => [name, stripped(part)]))
}

function stripped(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(stripped)
  return isRecord(part) ? strip(part) : part
}
