import { jsonSchema, ConfigurationError } from 'troupe'
import { describe, expect, test } from 'vitest'
import { validate } from '../../../src/actors/schemas/validate.ts'

const order = jsonSchema({
  $schema: 'http://json-schema.org/draft-07/schema#',
  type: 'object',
  properties: {
    id: { type: 'string', pattern: '^[A-Z]{2}$' },
    count: { type: 'integer', minimum: 1, default: 1 },
    lines: { type: 'array', items: { $ref: '#/definitions/line' }, maxItems: 2, uniqueItems: true },
    note: { type: ['string', 'null'], maxLength: 3 },
    kind: { enum: ['gift', 'sale'] },
    contact: { oneOf: [{ type: 'string', format: 'email' }, { type: 'integer' }] },
  },
  required: ['id'],
  additionalProperties: false,
  definitions: {
    line: {
      type: 'object',
      properties: {
        name: { type: 'string' },
        parts: { type: 'array', items: { $ref: '#/definitions/line' } },
      },
      required: ['name'],
    },
  },
})

describe('values are validated', () => {
  test.each([
    [{ id: 'AB' }, { id: 'AB', count: 1 }],
    [
      { id: 'AB', count: 2, note: null, kind: 'gift', contact: 7 },
      { id: 'AB', count: 2, note: null, kind: 'gift', contact: 7 },
    ],
    [
      { id: 'AB', lines: [{ name: 'a', parts: [{ name: 'b', more: 1 }] }] },
      { id: 'AB', count: 1, lines: [{ name: 'a', parts: [{ name: 'b', more: 1 }] }] },
    ],
  ])('%j fits', async (value, output) => {
    expect(await validate(order, value)).toEqual({ ok: true, value: output })
  })

  test.each([
    [{}, 'id: '],
    [{ id: 'abc' }, 'id: '],
    [{ id: 'AB', count: 0 }, 'count: '],
    [{ id: 'AB', count: 1.5 }, 'count: '],
    [{ id: 'AB', other: 1 }, 'other'],
    [{ id: 'AB', note: 'long' }, 'note: '],
    [{ id: 'AB', kind: 'loan' }, 'kind: '],
    [{ id: 'AB', contact: 'nobody' }, 'contact: '],
    [{ id: 'AB', lines: [{ name: 'a', parts: [{}] }] }, 'lines.0.parts.0.name: '],
    [{ id: 'AB', lines: [{ name: 'a' }, { name: 'a' }] }, 'lines.1: '],
    [{ id: 'AB', lines: [{ name: 'a' }, { name: 'b' }, { name: 'c' }] }, 'lines: '],
    ['AB', 'expected object'],
  ])('%j does not fit: %s', async (value, problem) => {
    expect(await validate(order, value)).toMatchObject({
      ok: false,
      problem: expect.stringContaining(problem),
    })
  })
})

const text = { type: 'string' }
const closed = { type: 'object', properties: { a: text }, additionalProperties: false }
const open = { type: 'object', properties: { b: text } }

test.each<[schema: object, message: string]>([
  [{ type: 'object', properties: { a: { not: text } } }, 'at properties.a: "not" is not supported.'],
  [{ type: 'object', if: text }, 'jsonSchema: "if" is not supported.'],
  [{ type: 'object', dependencies: { a: ['b'] } }, '"dependencies" is not supported.'],
  [
    { type: 'object', properties: { list: { type: 'array', items: { minLength: 3 } } } },
    'at properties.list.items: state the "type": without it "minLength" is not checked.',
  ],
  [{ type: 'object', required: ['a'] }, '"required" names "a", which is not among the properties.'],
  [{ type: 'object', required: true }, '"required" must be a list of names.'],
  [
    { type: 'object', properties: { a: { type: 'string', minLength: '3' } } },
    '"minLength" must be a number.',
  ],
  [
    { type: 'object', properties: { a: { type: 'array', minItems: 1 } } },
    'state the "items" ({} for any): without them "minItems" is not checked.',
  ],
  [
    { type: 'object', properties: { a: { type: 'array', prefixItems: [true], minItems: 1 } } },
    'state the "type" of each position: without it "minItems" is not checked.',
  ],
  [{ type: 'object', properties: { a: 'string' } }, 'a schema must be an object, true or false.'],
  [{ type: 'object', properties: { a: { enum: [{ b: 1 }] } } }, '"enum" may hold texts, numbers'],
  [
    { type: 'object', properties: { a: { enum: ['x'], minLength: 1 } } },
    '"minLength" beside "enum" is not checked.',
  ],
  [{ $ref: '#/$defs/a', type: 'object', $defs: { a: text } }, '"type" beside "$ref" is not checked.'],
  [
    { type: 'object', properties: { a: { anyOf: [text], oneOf: [text] } } },
    'state the "type": without it only one of anyOf, oneOf is checked.',
  ],
  [
    { type: 'object', patternProperties: { '^x': text }, additionalProperties: { type: 'number' } },
    '"additionalProperties" beside "patternProperties" is not checked.',
  ],
  [{ allOf: [closed, open] }, '"additionalProperties": false within a combination'],
  [{ ...closed, anyOf: [open] }, '"additionalProperties": false within a combination'],
  [
    { allOf: [{ $ref: '#/$defs/c' }, { anyOf: [open] }], $defs: { c: { anyOf: [closed, open] } } },
    '"additionalProperties": false within a combination',
  ],
  [{ type: 'object', properties: { a: { $ref: 'other.json' } } }, '"other.json" does not.'],
  [{ type: 'object', properties: { a: { $ref: '#/$defs/none' } } }, '"#/$defs/none" does not.'],
  [{ type: 'object', properties: { a: { type: 'strin' } } }, 'the schema cannot be checked: Unsupported'],
  [{ type: 'object', default: () => 1 }, 'expected JSON, but schema.default'],
])('%j is refused', (schema, message) => {
  expect(() => jsonSchema(schema)).toThrow(ConfigurationError)
  expect(() => jsonSchema(schema)).toThrow(message)
})

test('a reference to itself ends', async () => {
  const tree = jsonSchema({
    type: 'object',
    properties: { next: { $ref: '#' } },
    additionalProperties: false,
  })
  expect(await validate(tree, { next: { next: {} } })).toMatchObject({ ok: true })
  expect(await validate(tree, { next: { other: {} } })).toMatchObject({ ok: false })
})

test('the schema is copied: a later change of the given object changes nothing', async () => {
  const given = { type: 'object', properties: { a: { type: 'string' } } }
  const schema = jsonSchema(given)
  given.properties.a.type = 'number'
  expect(await validate(schema, { a: 'x' })).toMatchObject({ ok: true })
  expect(schema['~standard'].jsonSchema?.input({ target: 'draft-2020-12' })).toEqual({
    type: 'object',
    properties: { a: { type: 'string' } },
  })
})
