/** Strict schemas, to which a server holds a model: each field is required, and no others are allowed. */
import { ConfigurationError } from '../../errors.ts'
import type { JsonValue } from '../values/json.ts'
import { sentSchema } from './sent-schema.ts'

type JsonSchema = Readonly<Record<string, JsonValue>>

/** Throws a `ConfigurationError` for a schema that cannot be strict. */
export function strictParameters(schema: JsonSchema, where: string): JsonSchema {
  const strict = sentSchema(schema, 'openai-strict')
  if (strict.schema !== undefined) return strict.schema
  throw new ConfigurationError(
    `${where}: strict is not possible, for ${strict.problem}. A strict schema requires each property (use .nullable() in ` +
      'place of .optional()), allows no others, states the type of each value, and has no tuples and no conditions.',
  )
}
