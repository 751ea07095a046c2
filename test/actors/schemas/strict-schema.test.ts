/** Strict schemas: the rules to which a server holds a model. */
import { expect, test } from 'vitest'
import { createTool, createWorkflow, jsonSchema, type Schema } from 'troupe'
import { createMachine } from 'xstate'
import { z } from 'zod'
import { sentSchema } from '../../../src/actors/schemas/sent-schema.ts'
import { toJsonSchema } from '../../../src/actors/schemas/to-json-schema.ts'

const strict = (inputSchema: Schema) =>
  createTool({ id: 'save', description: 'Saves.', inputSchema, strict: true, execute: () => 'saved' })

test('objects allow no other properties, also in lists, unions and definitions', () => {
  interface Tree {
    readonly name: string
    readonly children: readonly Tree[]
  }
  const tree: z.ZodType<Tree> = z.lazy(() => z.object({ name: z.string(), children: z.array(tree) }))
  const schema = z.object({
    list: z.array(z.object({ a: z.string().nullable() })),
    either: z.union([z.object({ b: z.number() }), z.string()]),
    tree,
  })
  const { parameters } = strict(schema)
  const objects: unknown[] = []
  JSON.stringify(parameters, (_key, value: unknown) => {
    if (typeof value === 'object' && value !== null && Reflect.get(value, 'type') === 'object')
      objects.push(value)
    return value
  })
  expect(objects).toHaveLength(4)
  for (const object of objects) expect(object).toMatchObject({ additionalProperties: false })
})

test.each([
  ['an optional property', z.object({ a: z.object({ b: z.string().optional() }) }), '"a.b" is not required'],
  ['further properties', z.looseObject({}), 'the schema allows further properties'],
  ['a record', z.object({ by: z.record(z.string(), z.string()) }), '"by" '],
  ['a default', z.object({ a: z.string().default('x') }), '"a" '],
  ['a value of any type', z.object({ a: z.object({ b: z.any() }) }), '"a.b" has no type'],
  ['a list of anything', z.object({ a: z.array(z.unknown()) }), '"a.items[0]" has no type'],
  ['a tuple', z.object({ a: z.tuple([z.string()]) }), '"a" uses "prefixItems"'],
  [
    'a nullable object with an optional property',
    jsonSchema({
      type: 'object',
      properties: { a: { type: ['object', 'null'], properties: { b: { type: 'string' } } } },
      required: ['a'],
    }),
    '"a.b" is not required',
  ],
  ['a list of them', z.object({ a: z.array(z.looseObject({})) }), '"a.items[0]" allows further properties'],
])('a schema that cannot be strict is refused: %s', (_what, schema, problem) => {
  expect(() => strict(schema)).toThrow('createTool("save"): strict is not possible, for ')
  expect(() => strict(schema)).toThrow(problem)
})

test('a schema in its strict form is its own strict form', () => {
  const schema = toJsonSchema(z.object({ a: z.array(z.object({ b: z.string() })) }), 'here')
  const once = sentSchema(schema, 'openai-strict')
  expect(once.problem).toBeUndefined()
  expect(sentSchema(once.schema ?? {}, 'openai-strict')).toEqual(once)
})

test('a tool that is not strict keeps its schema, and a workflow may be strict', () => {
  const inputSchema = z.object({ a: z.string().optional() })
  const tool = createTool({ id: 'save', description: 'Saves.', inputSchema, execute: () => 'saved' })
  expect(tool.strict).toBe(false)
  expect(tool.parameters).toEqual(toJsonSchema(inputSchema, 'here'))
  const logic = createMachine({})
  const workflow = createWorkflow({
    id: 'flow',
    description: 'Flows.',
    inputSchema: z.object({}),
    logic,
    strict: true,
  })
  expect(workflow).toMatchObject({ strict: true, parameters: { additionalProperties: false } })
})
