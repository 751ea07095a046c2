import { ConfigurationError, createAgent, createTool, jsonSchema, type Schema } from 'troupe'
import { scriptedModel } from 'troupe/testing'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import * as mini from 'zod/mini'

const toolOf = (inputSchema: Schema) =>
  createTool({ id: 'search', description: 'Searches.', inputSchema, execute: (input) => input as object })

test('a schema of zod/mini describes and validates the arguments', async () => {
  const schema = mini.object({
    city: mini.string().check(mini.minLength(2)),
    days: mini._default(mini.int(), 3),
  })
  const tool = toolOf(schema)
  expect(tool.parameters).toMatchObject({
    type: 'object',
    properties: { city: { type: 'string', minLength: 2 }, days: { default: 3 } },
    required: ['city'],
  })
  const model = scriptedModel([{ toolCalls: [{ name: 'search', args: { city: 'Oslo' } }] }, 'Done.'])
  const agent = createAgent({ id: 'agent', instructions: '', model, tools: { search: tool } })
  const result = await agent.generate('Go')
  expect(result.steps[0]?.toolResults[0]).toMatchObject({ value: { city: 'Oslo', days: 3 } })
})

test('a plain JSON Schema reaches the model unchanged, and a model that breaks it is told why', async () => {
  const schema = {
    type: 'object',
    properties: { city: { type: 'string', 'x-note': 'kept' } },
    required: ['city'],
  }
  const model = scriptedModel([
    { toolCalls: [{ name: 'search', args: { city: 3 } }] },
    { toolCalls: [{ name: 'search', args: { city: 'Oslo' } }] },
    'Done.',
  ])
  const tools = {
    search: toolOf(jsonSchema({ ...schema, $schema: 'https://json-schema.org/draft/2020-12/schema' })),
  }
  const result = await createAgent({ id: 'agent', instructions: '', model, tools }).generate('Go')
  expect(model.calls[0]?.request.tools[0]?.parameters).toEqual(schema)
  expect(result.steps.flatMap(({ toolResults }) => toolResults)).toMatchObject([
    { error: { code: 'INVALID_TOOL_CALL', message: expect.stringContaining('city: ') } },
    { outcome: 'succeeded', value: { city: 'Oslo' } },
  ])
})

describe('an error names the field that JSON Schema cannot express', () => {
  test.each<[field: string, schema: Schema]>([
    ['since', z.object({ since: z.date() })],
    ['lines[].until', z.object({ lines: z.array(z.object({ until: z.bigint() })) })],
    ['range.*', z.object({ range: z.record(z.string(), z.date()) })],
    ['either', z.object({ either: z.union([z.string(), z.date()]) })],
    ['pair[]', z.object({ pair: z.tuple([z.date()]) })],
    ['since', mini.object({ since: mini.date() })],
  ])('%s', (field, schema) => {
    expect(() => toolOf(schema)).toThrow(ConfigurationError)
    expect(() => toolOf(schema)).toThrow(`createTool("search"): the field "${field}" cannot be expressed`)
  })

  test('a library that does not tell the field: its own words stand in the error', () => {
    const standard = { ...foreign('valibot', () => ({ value: 1 }))['~standard'] }
    const jsonSchema = {
      input: () => {
        throw new Error('The "date" schema cannot be converted.')
      },
    }
    expect(() => toolOf({ '~standard': { ...standard, jsonSchema } })).toThrow(
      'createTool("search"): the schema cannot be expressed as JSON Schema: The "date" schema cannot be converted.',
    )
  })
})

test.each([
  ['valibot', '"@valibot/to-json-schema"'],
  ['zod', 'It is one of zod 3: update zod, or import'],
  ['other', 'or jsonSchema(schema)'],
])('a %s schema that cannot describe itself: the error says how it can', (vendor, advice) => {
  expect(() => toolOf(foreign(vendor, () => ({ value: 1 })))).toThrow(advice)
})

test('a JSON Schema in place of a schema: the error names jsonSchema', () => {
  const inputSchema = { type: 'object' } as unknown as Schema
  expect(() => toolOf(inputSchema)).toThrow('(a JSON Schema as jsonSchema(schema))')
})

test('a JSON Schema that holds no JSON is refused', () => {
  const { '~standard': standard } = foreign('other', () => ({ value: 1 }))
  const input = () => ({ type: 'object', when: new Map() })
  expect(() => toolOf({ '~standard': { ...standard, jsonSchema: { input } } })).toThrow(ConfigurationError)
})

function foreign(vendor: string, validate: (value: unknown) => { readonly value: unknown }): Schema {
  return { '~standard': { version: 1, vendor, validate } }
}
