import { createAgent, createTool, TerminalError, type Schema } from 'troupe'
import { scriptedModel } from 'troupe/testing'
import { expect, test } from 'vitest'
import { z } from 'zod'
import * as mini from 'zod/mini'
import type { JsonValue } from '../../../src/actors/values/json.ts'
import { validate, validateWritten } from '../../../src/actors/schemas/validate.ts'

/** A Standard Schema whose `validate` answers with anything. */
function answering(answer: unknown): Schema {
  const standard = {
    version: 1,
    vendor: 'custom',
    validate: () => answer,
    jsonSchema: { input: () => ({ type: 'object' }) },
  }
  return { '~standard': standard } as unknown as Schema
}

test.each([
  ['undefined', undefined],
  ['null', null],
  ['a boolean', true],
  ['an empty object', {}],
  ['issues that are no list', { issues: 'bad' }],
  ['a promise of an empty object', Promise.resolve({})],
])('%s in place of a result is a failure of the schema, with a code', async (_name, answer) => {
  const checked = await validate(answering(answer), 1)
  expect(checked).toMatchObject({
    ok: false,
    problem: expect.stringContaining('"custom" schema answered with neither a value nor issues'),
    failure: { thrown: expect.any(TerminalError) },
  })
  expect(checked).toHaveProperty('failure.thrown.code', 'INVALID_SCHEMA_RESULT')
})

test.each([
  ['a value that is undefined', { value: undefined }, { ok: true, value: undefined }],
  ['no issues beside a value', { value: 1, issues: undefined }, { ok: true, value: 1 }],
  ['an empty list of issues', { issues: [] }, { ok: false, problem: 'the value does not fit' }],
  ['an issue without a path', { issues: [{ message: 'Bad.' }] }, { ok: false, problem: 'Bad.' }],
  [
    'issues with paths',
    { issues: [{ message: 'Bad.', path: ['a', { key: 'b' }, 0] }, { message: 'Worse.' }] },
    { ok: false, problem: 'a.b.0: Bad.; Worse.' },
  ],
])('%s is a result', (_name, answer, validation) => {
  expect(validate(answering(answer), 1)).toMatchObject(validation)
})

test('the promise of another library counts as one', async () => {
  class Later {
    // oxlint-disable-next-line unicorn/no-thenable -- the promise of a library is one
    then(resolve: (result: object) => void): void {
      resolve({ value: 2 })
    }
  }
  expect(await validate(answering(new Later()), 1)).toEqual({ ok: true, value: 2 })
})

test('a tool whose schema answers with nothing is not run; the call fails as SCHEMA_FAILED', async () => {
  let runs = 0
  const save = createTool({
    id: 'save',
    description: 'Saves.',
    inputSchema: answering(undefined),
    execute: () => ++runs,
  })
  const model = scriptedModel([{ toolCalls: [{ name: 'save', args: {} }] }, 'Done.'])
  const agent = createAgent({ id: 'agent', instructions: '', model, tools: { save } })
  const result = await agent.generate('Go')
  expect(runs).toBe(0)
  expect(result.steps[0]?.toolResults[0]).toMatchObject({
    outcome: 'failed',
    error: { code: 'SCHEMA_FAILED', cause: { code: 'INVALID_SCHEMA_RESULT' } },
  })
})

const free = z.object({ a: z.number().optional() })

test.each<readonly [what: string, schema: Schema, given: JsonValue, written: JsonValue]>([
  ['an optional field', free, { a: null }, {}],
  ['a field with a default', z.object({ a: z.number().default(3) }), { a: null }, {}],
  ['an exactly optional field', z.object({ a: z.exactOptional(z.number()) }), { a: null }, {}],
  ['a field of zod/mini', mini.object({ a: mini.optional(mini.number()) }), { a: null }, {}],
  ['a nested field', z.object({ o: free }), { o: { a: null } }, { o: {} }],
  [
    'a field of an item',
    z.object({ l: z.array(free) }),
    { l: [{ a: null }, { a: 1 }] },
    { l: [{}, { a: 1 }] },
  ],
  ['a field of a value of a record', z.record(z.string(), free), { x: { a: null } }, { x: {} }],
  ['a field of a variant', z.object({ u: z.union([z.string(), free]) }), { u: { a: null } }, { u: {} }],
  [
    'a field of a variant in a variant',
    z.object({ u: z.union([z.string(), z.union([z.number(), z.object({ o: free })])]) }),
    { u: { o: { a: null } } },
    { u: { o: {} } },
  ],
  [
    'a field of a kind',
    z.discriminatedUnion('k', [z.object({ k: z.literal('x'), a: z.number().optional() })]),
    { k: 'x', a: null },
    { k: 'x' },
  ],
  [
    'a field of both sides',
    z.intersection(free, z.object({ b: z.string() })),
    { a: null, b: 'x' },
    { b: 'x' },
  ],
  ['a field beside a nullable one', free.extend({ n: z.null() }), { a: null, n: null }, { n: null }],
  ['an optional object', z.object({ o: free.optional() }), { o: null }, {}],
])('null for what may be left out is left out: %s', async (_, schema, given, written) => {
  expect(await validateWritten(schema, given)).toMatchObject({ ok: true, written })
})

test.each<readonly [what: string, schema: Schema, given: JsonValue]>([
  ['a required field', z.object({ a: z.number() }), { a: null }],
  ['an item', z.object({ l: z.array(z.number()) }), { l: [null] }],
  ['the whole', z.object({}), null],
])('null for what may not be left out is wrong: %s', async (_, schema, given) => {
  expect(await validateWritten(schema, given)).toMatchObject({ ok: false, written: given })
})
