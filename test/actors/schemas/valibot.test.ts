/** Schemas of Valibot, as the guide tells to pass them: for a tool, for an answer and for a handoff. */
import { toStandardJsonSchema } from '@valibot/to-json-schema'
import { createAgent, createTool, type ErrorData } from 'troupe'
import { scriptedModel } from 'troupe/testing'
import * as v from 'valibot'
import { describe, expect, test } from 'vitest'
import { validateWritten } from '../../../src/actors/schemas/validate.ts'
import { calls, toldOfCalls, worker } from '../../support/agents/agents.ts'

const search = v.object({
  query: v.pipe(v.string(), v.minLength(2, 'The query is too short')),
  limit: v.optional(v.pipe(v.number(), v.integer(), v.maxValue(50)), 10),
})

describe('the input of a tool', () => {
  const given: unknown[] = []
  const tool = createTool({
    id: 'search',
    description: 'Searches.',
    inputSchema: toStandardJsonSchema(search),
    execute: ({ query, limit }) => {
      given.push({ query, limit })
      return `${limit} of ${query.toUpperCase()}`
    },
  })

  test('is described to the model, and validated with its defaults', async () => {
    const { agent, model } = worker(
      'finder',
      [
        calls({ name: 'search', args: { query: 't' } }),
        calls({ name: 'search', args: { query: 'tides' } }),
        'Found.',
      ],
      { tools: { search: tool } },
    )
    expect(await agent.generate('Go')).toMatchObject({ outcome: 'completed', text: 'Found.' })
    expect(model.calls[0]?.request.tools).toEqual([
      {
        name: 'search',
        description: 'Searches.',
        parameters: {
          type: 'object',
          properties: {
            query: { type: 'string', minLength: 2 },
            limit: { type: 'integer', maximum: 50, default: 10 },
          },
          required: ['query'],
        },
      },
    ])
    expect(given).toEqual([{ query: 'tides', limit: 10 }])
    expect(toldOfCalls(model, 2)[0]).toContain('query: The query is too short')
    expect(toldOfCalls(model, 3).at(-1)).toBe('10 of TIDES')
  })

  test('of a schema that does not describe itself is refused, with the name of the package', () => {
    const make = () =>
      createTool({ id: 'search', description: 'Searches.', inputSchema: search, execute: () => null })
    expect(make).toThrow(/"valibot" schema cannot describe itself.*"@valibot\/to-json-schema"/)
  })

  test('of a type that JSON does not have is refused', () => {
    expect(() => toStandardJsonSchema(v.object({ since: v.date() }))).not.toThrow()
    const inputSchema = toStandardJsonSchema(v.object({ since: v.date() }))
    const make = () => createTool({ id: 'since', description: 'Since.', inputSchema, execute: () => null })
    expect(make).toThrow(/createTool\("since"\): the schema cannot be expressed as JSON Schema: .*date/)
  })
})

describe('an answer', () => {
  const schema = toStandardJsonSchema(v.object({ city: v.string(), degrees: v.number() }))

  test('has its shape, and an answer of another shape is sent back', async () => {
    const model = scriptedModel(['{"city":"Oslo"}', '{"city":"Oslo","degrees":4}'])
    const agent = createAgent({ id: 'guide', model, structuredOutput: { schema } })
    const result = await agent.generate('How warm is it?')
    if (result.outcome !== 'completed') throw new Error(`It ended as ${result.outcome}.`)
    const { city, degrees }: { city: string; degrees: number } = result.object
    expect({ city, degrees }).toEqual({ city: 'Oslo', degrees: 4 })
    expect(model.calls[0]?.request.responseFormat?.schema).toEqual({
      type: 'object',
      properties: { city: { type: 'string' }, degrees: { type: 'number' } },
      required: ['city', 'degrees'],
    })
    expect(model.calls[1]?.request.messages.at(-1)?.content).toContain('degrees')
  })

  test('that has another shape twice fails the agent', async () => {
    const model = scriptedModel([], { otherwise: '{"city":"Oslo"}' })
    const result = await createAgent({ id: 'guide', model, structuredOutput: { schema } }).generate('Go')
    const error: ErrorData | undefined = result.outcome === 'failed' ? result.error : undefined
    expect(error).toMatchObject({
      code: 'INVALID_OBJECT',
      message: expect.stringContaining('degrees') as string,
    })
  })
})

test('the input of a handoff is validated', async () => {
  const billing = worker('billing', [], { otherwise: 'Paid.' })
  const inputSchema = toStandardJsonSchema(v.object({ priority: v.picklist(['low', 'high']) }))
  const handing = (priority: string) => calls({ name: 'transfer-to-billing', args: { priority } })
  const { agent, model } = worker('desk', [handing('urgent'), handing('high')], {
    handoffs: [{ agent: billing.agent, inputSchema }],
  })
  expect((await agent.generate('Go')).handoffs).toEqual([
    { from: 'desk', to: 'billing', input: { priority: 'high' } },
  ])
  expect(toldOfCalls(model, 2)[0]).toContain('priority')
})

const optional = v.object({ a: v.optional(v.number()) })
const either = v.object({ b: v.object({ c: v.number() }) })

test.each([
  ['an optional field', optional, { a: null }, {}],
  ['a field with a default', v.object({ a: v.optional(v.number(), 3) }), { a: null }, {}],
  ['a nested field', v.object({ o: optional }), { o: { a: null } }, { o: {} }],
  ['an item', v.object({ l: v.array(optional) }), { l: [{ a: 1 }, { a: null }] }, { l: [{ a: 1 }, {}] }],
  ['a union', v.object({ u: v.union([v.string(), either, optional]) }), { u: { a: null } }, { u: {} }],
  ['a nullable field', v.object({ a: v.nullable(v.number()) }), { a: null }, { a: null }],
])('null for a field that may be left out: %s', async (_, schema, given, written) => {
  expect(await validateWritten(toStandardJsonSchema(schema), given)).toMatchObject({ ok: true, written })
})

test('null for a field of a union that may not be left out is wrong', async () => {
  const schema = v.object({ u: v.union([v.string(), v.object({ a: v.number() })]) })
  expect(await validateWritten(toStandardJsonSchema(schema), { u: { a: null } })).toMatchObject({ ok: false })
})
