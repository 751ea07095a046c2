/** The schemas of a server's tools. Each is compiled at its first use: a listing of a megabyte has more than a run ever calls. */
import { ConfigurationError, type JsonValue, type Schema } from '../../index.ts'
import { isRecord } from '../../kit/index.ts'
import { excessOf } from '../../kit/wire/index.ts'
import { foreignSchema } from '../../kit/host.ts'
import { isWithFiles } from './content.ts'

type Checked = Schema<unknown, JsonValue>
type Validate = Checked['~standard']['validate']

/**
 * The arguments of a tool. They are checked before the call, without the patterns of the schema. Where it has a keyword that
 * cannot be checked here, or is large, the server checks them alone.
 */
export function inputSchemaOf(schema: object): Schema {
  const described = { ...schema, type: 'object' }
  return lazily(described, anObject)
}

/** The results of a tool; one that cannot be checked here is taken. Of a result with files the structured content is checked. */
export function outputSchemaOf(schema: object): Checked {
  const { validate, ...facts } = lazily(schema, taken)['~standard']
  return {
    '~standard': {
      ...facts,
      validate: (value) => validate(isWithFiles(value) ? value.structuredContent : value),
    },
  }
}

function lazily(schema: object, otherwise: Validate): Checked {
  let validate: Validate | undefined
  return {
    '~standard': {
      version: 1,
      vendor: 'troupe',
      validate: (value) => {
        validate ??= compiled(schema) ?? otherwise
        return validate(value)
      },
      jsonSchema: { input: () => ({ ...schema }) },
    },
  }
}

/** The most values of a schema that is checked here: to compile more would hold the event loop. */
const mostValues = 2_000

/** `undefined` for a schema with a keyword that cannot be checked here, and for a large one. */
function compiled(schema: object): Validate | undefined {
  if (excessOf(schema, { values: mostValues }) !== undefined) return undefined
  try {
    return foreignSchema(schema)['~standard'].validate
  } catch (error) {
    if (error instanceof ConfigurationError) return undefined
    throw error
  }
}

const anObject: Validate = (value) =>
  isRecord(value) ? { value: value as JsonValue } : { issues: [{ message: 'expected an object' }] }

const taken: Validate = (value) => ({ value: value as JsonValue })
