/** The schemas of a server's tool. */
import { foreignSchema } from '../../actors/schemas/json-schema.ts'
import type { Schema } from '../../actors/schemas/schema.ts'
import { isRecord, type JsonValue } from '../../actors/values/json.ts'
import { ConfigurationError } from '../../errors.ts'
import { isWithFiles } from './content.ts'

/**
 * The arguments of a tool. They are checked before the call, without the patterns of the schema; where it has a keyword that
 * cannot be checked here, the server checks them alone.
 */
export function inputSchemaOf(schema: object): Schema {
  const described = { ...schema, type: 'object' }
  return checkable(described) ?? unchecked(described)
}

/**
 * The results of a tool; `undefined` where it states none, or one that cannot be checked here. Of a result with files the
 * structured content is checked.
 */
export function outputSchemaOf(schema: object | undefined): Schema<unknown, JsonValue> | undefined {
  const structured = schema === undefined ? undefined : checkable(schema)
  if (structured === undefined) return undefined
  const { validate, ...facts } = structured['~standard']
  return {
    '~standard': {
      ...facts,
      validate: (value) => validate(isWithFiles(value) ? value.structuredContent : value),
    },
  }
}

function checkable(schema: object): Schema<unknown, JsonValue> | undefined {
  try {
    return foreignSchema(schema)
  } catch (error) {
    if (error instanceof ConfigurationError) return undefined
    throw error
  }
}

function unchecked(schema: object): Schema {
  return {
    '~standard': {
      version: 1,
      vendor: 'troupe',
      validate: (value) => (isRecord(value) ? { value } : { issues: [{ message: 'expected an object' }] }),
      jsonSchema: { input: () => ({ ...schema }) },
    },
  }
}
