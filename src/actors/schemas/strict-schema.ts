/**
 * Strict schemas, to which a server holds a model: each property is required, no others are allowed, and some keywords
 * are not used. These are the rules of the Structured Outputs guide of OpenAI, which other servers share.
 */
import type { JsonValue } from '../values/json.ts'
import { isRecord } from '../values/json.ts'
import { ConfigurationError } from '../../errors.ts'

type JsonSchema = Readonly<Record<string, JsonValue>>

export type StrictSchema =
  | { readonly schema: Record<string, JsonValue>; readonly problem?: undefined }
  /** Why the schema cannot be strict. */
  | { readonly problem: string; readonly schema?: undefined }

/** The keywords that strict mode refuses. */
const refused = ['allOf', 'oneOf', 'not', 'patternProperties', 'propertyNames', 'if', 'default']

/** The keywords whose values are schemas by name. */
const named = ['$defs', 'definitions'] as const

/** The keywords whose values are a schema, or a list of them. */
const nested = ['items', 'anyOf'] as const

/** The schema in its strict form, which allows no further properties, or the reason why it has none. */
export function toStrict(schema: JsonSchema, path = ''): StrictSchema {
  const keyword = refused.find((name) => name in schema)
  if (keyword !== undefined) return { problem: `${place(path)} uses "${keyword}"` }
  const strict: Record<string, JsonValue> = { ...schema }
  if (schema['type'] === 'object') {
    const problem = objectProblem(schema, path)
    if (problem !== undefined) return { problem }
    strict['additionalProperties'] = false
  }
  for (const name of [...named, ...(schema['type'] === 'object' ? ['properties'] : [])]) {
    const parts = schema[name]
    if (!isRecord(parts)) continue
    const made = strictParts(Object.entries(parts), path)
    if (typeof made === 'string') return { problem: made }
    strict[name] = Object.fromEntries(made)
  }
  for (const name of nested) {
    const part = schema[name]
    if (part === undefined) continue
    const parts = Array.isArray(part) ? part : [part]
    const made = strictParts(
      parts.map((item, index) => [`${name}[${index}]`, item] as const),
      path,
    )
    if (typeof made === 'string') return { problem: made }
    const schemas = made.map(([, item]) => item)
    strict[name] = Array.isArray(part) ? schemas : (schemas[0] ?? null)
  }
  return { schema: strict }
}

/** Throws a `ConfigurationError` for a schema that cannot be strict. */
export function strictParameters(schema: JsonSchema, where: string): Readonly<Record<string, JsonValue>> {
  const strict = toStrict(schema)
  if (strict.schema !== undefined) return strict.schema
  throw new ConfigurationError(
    `${where}: strict is not possible, for ${strict.problem}. A strict schema requires each property (use .nullable() in ` +
      `place of .optional()), allows no others, and has none of ${refused.join(', ')}.`,
  )
}

function objectProblem(schema: JsonSchema, path: string): string | undefined {
  const { properties = {}, required = [], additionalProperties = false } = schema
  if (additionalProperties !== false) return `${place(path)} allows further properties`
  if (!isRecord(properties) || !Array.isArray(required)) return `${place(path)} is no schema of an object`
  const free = Object.keys(properties).find((name) => !required.includes(name))
  return free === undefined ? undefined : `${place(below(path, free))} is not required`
}

/** The parts in their strict form, or the first problem. */
function strictParts(
  parts: readonly (readonly [name: string, part: JsonValue | undefined])[],
  path: string,
): readonly (readonly [name: string, schema: JsonValue])[] | string {
  const made: (readonly [string, JsonValue])[] = []
  for (const [name, part] of parts) {
    const at = below(path, name)
    if (!isRecord(part)) return `${place(at)} is no schema of an object form`
    const strict = toStrict(part, at)
    if (strict.schema === undefined) return strict.problem
    made.push([name, strict.schema])
  }
  return made
}

function below(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`
}

function place(path: string): string {
  return path === '' ? 'the schema' : `"${path}"`
}
