/** The tools `transfer-to-<key>`, by which a model hands its conversation to another agent. */
import { handoffPrefix } from './strict/ids.ts'
import { z } from 'zod'
import { jsonSchema } from './schemas/json-schema.ts'
import type { Schema } from './schemas/schema.ts'
import { toJsonSchema } from './schemas/to-json-schema.ts'
import type { JsonValue } from './values/json.ts'
import { once } from './values/once.ts'

export type JsonSchema = Readonly<Record<string, JsonValue>>

/** An agent that the conversation may be handed to. */
export interface Successor {
  /** The agent's id. */
  readonly id: string
  readonly description: string
  /** The JSON Schema of the input that comes with the conversation. Absent: the model gives a reason and a prompt. */
  readonly parameters?: JsonSchema | undefined
  /** The schema of the input. Absent where a function of the run made it: `parameters` is then the schema. */
  readonly inputSchema?: Schema | undefined
}

/** The successors of an agent, by their keys. */
export type Successors = ReadonlyMap<string, Successor>

/** The arguments of a handoff without an input. */
export const handoffArgsSchema = once(() =>
  z.object({
    reason: z.string().nullish().describe('Why the other agent should go on'),
    prompt: z.string().nullish().describe('What the other agent should know or do, beside the conversation'),
  }),
)

const handoffParameters = once(() => toJsonSchema(handoffArgsSchema(), 'handoff'))

export function handoffTool([key, { description, parameters }]: readonly [string, Successor]) {
  return {
    name: handoffPrefix + key,
    description: `Hand the conversation to the agent "${key}", which goes on in your place: ${description}`,
    parameters: parameters ?? handoffParameters(),
  }
}

/** The schema of the arguments of a handoff. */
export function handoffSchema({ parameters, inputSchema }: Successor): Schema {
  return parameters === undefined ? handoffArgsSchema() : (inputSchema ?? schemaOf(parameters))
}

const schemas = new WeakMap<JsonSchema, Schema>()

function schemaOf(parameters: JsonSchema): Schema {
  const known = schemas.get(parameters)
  if (known !== undefined) return known
  const schema = jsonSchema(parameters)
  schemas.set(parameters, schema)
  return schema
}

/** The successors as plain data. */
export function describedSuccessors(successors: Successors): Readonly<Record<string, Successor>> {
  return Object.fromEntries(
    Array.from(successors, ([key, { inputSchema: _schema, ...successor }]) => [key, successor]),
  )
}

/** The described successors, with the schemas that are known of them. */
export function withSchemas(
  described: Readonly<Record<string, Successor>>,
  known: Successors | undefined,
): Successors {
  return new Map(
    Object.entries(described).map(([key, successor]) => {
      const inputSchema = known?.get(key)?.inputSchema
      return [key, inputSchema === undefined ? successor : { ...successor, inputSchema }]
    }),
  )
}
