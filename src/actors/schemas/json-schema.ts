/** `jsonSchema`: a plain JSON Schema, as other systems describe their tools, becomes a schema. */
import { z } from 'zod'
import { ConfigurationError } from '../../errors.ts'
import { isObject, wrong } from '../strict/read-options.ts'
import { deepFreeze } from '../values/frozen.ts'
import type { JsonValue } from '../values/json.ts'
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
  return {
    '~standard': {
      version: 1,
      vendor: 'troupe',
      validate: (value) => {
        const result = validator.safeParse(value)
        return result.success ? { value: result.data as Output } : { issues: result.error.issues }
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
