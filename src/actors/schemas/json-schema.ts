/** `jsonSchema`: a plain JSON Schema, as other systems describe their tools, becomes a schema. */
import { z } from 'zod'
import { ConfigurationError } from '../../errors.ts'
import { isObject, wrong } from '../strict/read-options.ts'
import { deepFreeze } from '../values/frozen.ts'
import { isRecord, type JsonValue } from '../values/json.ts'
import { copyAsJson } from '../values/to-json.ts'
import { assertCheckable } from './assert-checkable.ts'
import type { Schema } from './schema.ts'

/** A JSON object: the values that a JSON Schema without a type argument describes. */
export interface JsonObject {
  readonly [name: string]: JsonValue
}

/**
 * Makes a schema of a plain JSON Schema (draft 2020-12, 7 or 4). A model is given it unchanged; values are validated, and
 * the `default` of a missing field is filled in. The values have the type `Output`; default: any JSON object.
 * Throws a `ConfigurationError` that names the place in the schema for a keyword that cannot be checked, such as `not`,
 * `if` or a reference to another document: no constraint is passed over.
 */
export function jsonSchema<Output = JsonObject>(schema: object): Schema<unknown, Output> {
  const where = 'jsonSchema'
  if (!isObject(schema)) throw wrong(schema, where, 'a JSON Schema object')
  const copy = copyAsJson(schema, 'schema')
  if (!copy.ok) throw new ConfigurationError(`${where}: expected JSON, but ${copy.problem}.`)
  const described = deepFreeze(copy.value) as Record<string, JsonValue>
  assertCheckable(described, where)
  const validator = validatorOf(described, where)
  const isInherited = namesInherited(described)
  return {
    '~standard': {
      version: 1,
      vendor: 'troupe',
      validate: (value) => {
        const result = validator.safeParse(isInherited ? withPrototype(null, value) : value)
        if (!result.success) return { issues: result.error.issues }
        const { data } = result
        return { value: (isInherited ? withPrototype(Object.prototype, data) : data) as Output }
      },
      jsonSchema: { input: () => described },
    },
  }
}

function validatorOf(described: Readonly<Record<string, JsonValue>>, where: string): z.ZodType {
  try {
    return z.fromJSONSchema(described, {
      defaultTarget: 'definitions' in described ? 'draft-7' : 'draft-2020-12',
      registry: z.registry(),
    })
  } catch (cause) {
    throw new ConfigurationError(
      `${where}: the schema cannot be checked: ${cause instanceof Error ? cause.message : String(cause)}.`,
      { cause },
    )
  }
}

// Each object has a `constructor` and a `toString` that are no fields of it. Where a schema names such a field, its values
// are read without a prototype.

const inherited: ReadonlySet<string> = /* @__PURE__ */ new Set(Object.getOwnPropertyNames(Object.prototype))

function namesInherited(schema: JsonValue): boolean {
  if (!isRecord(schema)) return Array.isArray(schema) && schema.some(namesInherited)
  return Object.entries(schema).some(([name, part]) => inherited.has(name) || namesInherited(part))
}

function withPrototype(prototype: object | null, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => withPrototype(prototype, item))
  if (!isRecord(value)) return value
  const copy: Record<string, unknown> = Object.create(prototype) as Record<string, unknown>
  for (const [name, part] of Object.entries(value)) {
    const held = {
      value: withPrototype(prototype, part),
      enumerable: true,
      writable: true,
      configurable: true,
    }
    Object.defineProperty(copy, name, held)
  }
  return copy
}

// The JSON Schemas of other systems, such as those of an MCP server. Their patterns are not run: a pattern can take
// longer than any process lives, and there is no bound to set. They are shown to the model, and left to the server to
// check.

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
