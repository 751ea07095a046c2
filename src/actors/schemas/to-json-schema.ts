/** Describes schemas as JSON Schema, for models. */
import { z } from 'zod'
import { ConfigurationError } from '../../errors.ts'
import { isRecord, type JsonValue } from '../values/json.ts'
import { copyAsJson } from '../values/to-json.ts'
import type { Schema } from './schema.ts'

const target = 'draft-2020-12'

/**
 * The JSON Schema of the values that a schema accepts, as an object schema for a model. Throws a `ConfigurationError`
 * that names `where`, and the field that is at fault where it is known, when the schema cannot describe itself, or does
 * not describe an object.
 */
export function toJsonSchema(schema: Schema, where: string): Readonly<Record<string, JsonValue>> {
  const described = copyAsJson(describe(schema, where), 'schema')
  if (!described.ok)
    throw new ConfigurationError(`${where}: the JSON Schema is not JSON: ${described.problem}.`)
  if (!isRecord(described.value) || described.value['type'] !== 'object') {
    throw new ConfigurationError(`${where}: expected a schema of an object, for example z.object({ … })`)
  }
  const { $schema: _dialect, ...rest } = described.value as Record<string, JsonValue>
  return rest
}

function describe(schema: Schema, where: string): unknown {
  const { vendor, jsonSchema } = schema['~standard']
  const isZod = schema instanceof z.core.$ZodType
  if (jsonSchema === undefined) {
    if (isZod) return describeZod(schema, where) // a schema of zod/mini does not describe itself
    throw new ConfigurationError(
      `${where}: a "${vendor}" schema cannot describe itself as JSON Schema. ${adviceFor(vendor)}`,
    )
  }
  try {
    const given: unknown = jsonSchema.input({ target })
    if (given instanceof Promise) given.catch(() => undefined) // it is no JSON, whatever comes of it
    return given
  } catch (cause) {
    if (isZod) describeZod(schema, where) // names the field at fault
    throw inexpressible(where, cause)
  }
}

function adviceFor(vendor: string): string {
  switch (vendor) {
    case 'valibot':
      return 'Pass toStandardJsonSchema(schema), of the package "@valibot/to-json-schema".'
    case 'zod':
      return "It is one of zod 3: update zod, or import { z } from 'zod/v4' of zod 3.25."
    default:
      return 'Use zod 4 or later, a Standard Schema that implements "~standard".jsonSchema, or jsonSchema(schema).'
  }
}

type Path = readonly (string | number)[]

function describeZod(schema: z.core.$ZodType, where: string): unknown {
  try {
    return z.toJSONSchema(schema, {
      target,
      io: 'input',
      unrepresentable: ({ path, message }) => {
        throw inexpressible(where, new TypeError(message), fieldAt(path))
      },
    })
  } catch (cause) {
    throw cause instanceof ConfigurationError ? cause : inexpressible(where, cause)
  }
}

/** `cause` is the error of the schema's library. */
function inexpressible(where: string, cause: unknown, field = ''): ConfigurationError {
  const subject = field === '' ? 'the schema' : `the field "${field}"`
  const reason = cause instanceof Error ? `: ${cause.message}` : ''
  return new ConfigurationError(
    `${where}: ${subject} cannot be expressed as JSON Schema${reason}. A model writes JSON: accept a text, a number ` +
      'or another JSON value there, and transform it.',
    { cause },
  )
}

/** The field of the value that a place in its JSON Schema describes: `lines[].since` of `properties/lines/items/properties/since`. */
function fieldAt(path: Path): string {
  let field = ''
  for (let at = 0; at < path.length; at++) {
    switch (path[at]) {
      case 'properties':
        field += `${field === '' ? '' : '.'}${path[++at]}`
        break
      case 'items':
      case 'prefixItems':
        field += '[]'
        break
      case 'additionalProperties':
      case 'patternProperties':
        field += '.*'
        break
      default: // a variant of a union, its position, or a part that is no field
    }
  }
  return field
}
