/** The patterns of a foreign schema are not run: they are shown to the model, and left to the server. */
import { expect, test } from 'vitest'
import { foreignSchema } from '../../../src/actors/schemas/json-schema.ts'
import { validateWritten } from '../../../src/actors/schemas/validate.ts'

const endless = '^(a+)+$'
const text = { type: 'string', pattern: endless }
const evil = `${'a'.repeat(40)}!`

test.each([
  ['of a field', { properties: { x: text } }, { x: evil }],
  ['of the items of a list', { properties: { x: { type: 'array', items: text } } }, { x: [evil] }],
  ['of a definition', { properties: { x: { $ref: '#/$defs/t' } }, $defs: { t: text } }, { x: evil }],
  ['of a variant', { properties: { x: { anyOf: [text, { type: 'number' }] } } }, { x: evil }],
  ['for names of fields', { patternProperties: { [endless]: { type: 'number' } } }, { [evil]: 'x' }],
  [
    'for names of an object without others',
    { patternProperties: { [endless]: {} }, additionalProperties: false },
    { [evil]: 1 },
  ],
  ['of the names of fields', { propertyNames: { pattern: endless } }, { [evil]: 1 }],
])('a pattern %s does not run', (_, schema, value) => {
  const whole = { type: 'object', ...schema }
  const foreign = foreignSchema(whole)
  expect(validateWritten(foreign, value)).toMatchObject({ ok: true, value })
  expect(foreign['~standard'].jsonSchema?.input({ target: 'draft-2020-12' })).toEqual(whole)
})

test('a field that is named "pattern" is checked as any other, and nulls are left out', () => {
  const schema = foreignSchema({
    type: 'object',
    properties: { pattern: { type: 'string' }, n: { type: 'number' } },
  })
  expect(validateWritten(schema, { pattern: 1 })).toMatchObject({ ok: false })
  expect(validateWritten(schema, { pattern: 'x', n: null })).toMatchObject({
    ok: true,
    written: { pattern: 'x' },
  })
})

test.each([
  [
    'in a list',
    { type: 'array', items: { type: 'object', properties: { a: { type: 'number' } } } },
    [{ a: null }],
    [{}],
  ],
  [
    'in a variant',
    { anyOf: [{ type: 'object', properties: { a: { type: 'number' } } }, { type: 'string' }] },
    { a: null },
    {},
  ],
  ['in place of an item', { type: 'array', items: { type: 'number' } }, [null], undefined],
])('null %s', (_, part, given, written) => {
  const schema = foreignSchema({ type: 'object', properties: { x: part } })
  const expected = written === undefined ? { ok: false } : { ok: true, written: { x: written } }
  expect(validateWritten(schema, { x: given })).toMatchObject(expected)
})
