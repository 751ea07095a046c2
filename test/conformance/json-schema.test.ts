/**
 * Our check of a JSON Schema, `jsonSchema`, under the subjects of the JSON Schema Test Suite (draft 2020-12, at 44401e0c), and
 * beside a validator that passes the suite. Each schema is checked as the draft says, or refused by name where it is made.
 */
import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { ConfigurationError, jsonSchema } from 'troupe'
import { expect, test } from 'vitest'
import { leftOut } from './support/left-out.ts'
import { whole } from './support/whole.ts'

type Schema = Readonly<Record<string, unknown>>

interface Cases {
  readonly schema: Schema
  readonly valid: readonly unknown[]
  readonly invalid: readonly unknown[]
}

const text = { type: 'string' }
const integer = { type: 'integer' }
const object = (more: Schema): Schema => ({ type: 'object', ...more })

/** A schema of each subject of the suite: a file of `tests/draft2020-12`. */
const subjects: Readonly<Record<string, readonly Cases[]>> = {
  additionalProperties: [
    {
      schema: object({ properties: { a: {} }, additionalProperties: false }),
      valid: [{}, { a: 1 }],
      invalid: [{ b: 1 }, 1],
    },
    { schema: object({ additionalProperties: integer }), valid: [{ a: 1 }], invalid: [{ a: 'x' }] },
    {
      schema: object({ patternProperties: { '^v': {} }, additionalProperties: false }),
      valid: [{ vase: 1 }],
      invalid: [{ a: 1 }],
    },
  ],
  allOf: [
    {
      schema: { allOf: [object({ properties: { a: integer }, required: ['a'] }), object({ required: [] })] },
      valid: [{ a: 1 }],
      invalid: [{}, { a: 'x' }],
    },
  ],
  anyOf: [{ schema: { anyOf: [integer, text] }, valid: [1, 'a'], invalid: [true, 1.5] }],
  boolean_schema: [
    { schema: object({ properties: { a: true, b: false } }), valid: [{ a: 1 }, {}], invalid: [{ b: 1 }] },
  ],
  const: [
    { schema: { const: 2 }, valid: [2, 2.0], invalid: [3, '2', [2]] },
    { schema: { const: null }, valid: [null], invalid: [0, false, ''] },
    { schema: { const: false }, valid: [false], invalid: [0, [false]] },
  ],
  contains: [
    { schema: { type: 'array', contains: { type: 'integer', minimum: 5 } }, valid: [[1, 6]], invalid: [[1]] },
  ],
  content: [
    { schema: { type: 'string', contentMediaType: 'application/json' }, valid: ['{:}'], invalid: [1] },
  ],
  default: [
    {
      schema: object({ properties: { a: { type: 'integer', default: 1 } } }),
      valid: [{}],
      invalid: [{ a: 'x' }],
    },
  ],
  enum: [
    { schema: { enum: [1, 'a', null, true] }, valid: [1, 'a', null, true], invalid: [2, 'b', false, '1'] },
  ],
  exclusiveMaximum: [{ schema: { type: 'number', exclusiveMaximum: 3 }, valid: [2.9], invalid: [3, 4] }],
  exclusiveMinimum: [{ schema: { type: 'number', exclusiveMinimum: 3 }, valid: [3.1], invalid: [3, 2] }],
  'infinite-loop-detection': [
    {
      schema: object({ properties: { a: { $ref: '#/$defs/int' } }, $defs: { int: integer } }),
      valid: [{ a: 1 }],
      invalid: [{ a: 'x' }],
    },
  ],
  items: [
    { schema: { type: 'array', items: integer }, valid: [[], [1, 2]], invalid: [[1, 'x'], { '0': 1 }] },
    {
      schema: { type: 'array', prefixItems: [{}, {}], items: false },
      valid: [[], [1], [1, 2]],
      invalid: [[1, 2, 3]],
    },
  ],
  maxContains: [
    { schema: { type: 'array', contains: integer, maxContains: 1 }, valid: [[1]], invalid: [[1, 2], []] },
  ],
  maxItems: [{ schema: { type: 'array', items: {}, maxItems: 1 }, valid: [[], [1]], invalid: [[1, 2]] }],
  maxLength: [{ schema: { type: 'string', maxLength: 2 }, valid: ['', 'ab'], invalid: ['abc'] }],
  maxProperties: [{ schema: object({ maxProperties: 1 }), valid: [{}, { a: 1 }], invalid: [{ a: 1, b: 2 }] }],
  maximum: [{ schema: { type: 'number', maximum: 3 }, valid: [3, -1], invalid: [3.5] }],
  minContains: [
    { schema: { type: 'array', contains: integer, minContains: 2 }, valid: [[1, 2]], invalid: [[1]] },
  ],
  minItems: [{ schema: { type: 'array', items: {}, minItems: 1 }, valid: [[1]], invalid: [[]] }],
  minLength: [{ schema: { type: 'string', minLength: 2 }, valid: ['ab'], invalid: ['a'] }],
  minProperties: [{ schema: object({ minProperties: 1 }), valid: [{ a: 1 }], invalid: [{}] }],
  minimum: [{ schema: { type: 'number', minimum: -2 }, valid: [-2, 0], invalid: [-2.1] }],
  multipleOf: [
    { schema: { type: 'number', multipleOf: 2 }, valid: [10, 0], invalid: [7] },
    { schema: { type: 'number', multipleOf: 0.01 }, valid: [19.99, 0.07], invalid: [0.0075] },
  ],
  oneOf: [
    { schema: { oneOf: [integer, { type: 'number', minimum: 2 }] }, valid: [1, 2.5], invalid: [3, 1.5] },
    { schema: { oneOf: [text, text] }, valid: [], invalid: ['a', 1] },
  ],
  pattern: [{ schema: { type: 'string', pattern: 'a+b' }, valid: ['xaab'], invalid: ['ba'] }],
  patternProperties: [
    {
      schema: object({ patternProperties: { 'f.*o': integer } }),
      valid: [{ foo: 1, bar: 'x' }],
      invalid: [{ foooo: 'x' }],
    },
  ],
  prefixItems: [
    { schema: { type: 'array', prefixItems: [integer, text] }, valid: [[1, 'a'], [1], []], invalid: [['a']] },
  ],
  properties: [
    {
      schema: object({ properties: { a: integer, b: text } }),
      valid: [{}, { a: 1, c: [] }],
      invalid: [{ a: [] }],
    },
    {
      schema: object({ properties: { toString: integer, constructor: text } }),
      valid: [{}],
      invalid: [{ constructor: 1 }, { toString: 'x' }],
    },
  ],
  propertyNames: [
    { schema: object({ propertyNames: { maxLength: 2 } }), valid: [{ ab: 1 }], invalid: [{ abc: 1 }] },
  ],
  ref: [
    {
      schema: object({ properties: { child: { $ref: '#' } }, additionalProperties: false }),
      valid: [{ child: { child: {} } }],
      invalid: [{ child: { other: 1 } }],
    },
    {
      schema: object({ properties: { a: { $ref: '#/$defs/a~1b' } }, $defs: { 'a/b': integer } }),
      valid: [{ a: 1 }],
      invalid: [{ a: 'x' }],
    },
  ],
  required: [
    {
      schema: object({ properties: { a: {}, b: {} }, required: ['a'] }),
      valid: [{ a: null }],
      invalid: [{ b: 1 }],
    },
  ],
  type: [
    { schema: integer, valid: [1, 1.0, -3], invalid: [1.1, '1', null, true, {}, []] },
    { schema: { type: 'number' }, valid: [1, 1.1], invalid: ['1', null] },
    { schema: text, valid: ['', 'a'], invalid: [1, null] },
    { schema: { type: 'object' }, valid: [{}], invalid: [[], null] },
    { schema: { type: 'array' }, valid: [[]], invalid: [{}, null] },
    { schema: { type: 'boolean' }, valid: [true, false], invalid: [0, 'true', null] },
    { schema: { type: 'null' }, valid: [null], invalid: [0, false, ''] },
    { schema: { type: ['string', 'null'] }, valid: ['a', null], invalid: [1] },
  ],
  uniqueItems: [
    {
      schema: { type: 'array', items: {}, uniqueItems: true },
      valid: [[1, '1', true]],
      invalid: [
        [1, 1],
        [{ a: 1 }, { a: 1 }],
      ],
    },
  ],
}

/** Subjects whose schemas are refused where they are made: none of their constraints is passed over in silence. */
const refused: Readonly<Record<string, Schema>> = {
  anchor: object({ properties: { a: { $ref: '#here' } }, $defs: { x: { $anchor: 'here', ...integer } } }),
  defs: { $ref: 'https://json-schema.org/draft/2020-12/schema' },
  dependentRequired: object({ dependentRequired: { a: ['b'] } }),
  dependentSchemas: object({ dependentSchemas: { a: object({ required: ['b'] }) } }),
  dynamicRef: { type: 'array', items: { $dynamicRef: '#items' } },
  'if-then-else': { type: 'integer', if: { minimum: 2 }, else: { maximum: 3 } },
  not: { not: integer },
  refRemote: { $ref: 'http://localhost:1234/integer.json' },
  unevaluatedItems: { type: 'array', unevaluatedItems: false },
  unevaluatedProperties: object({ unevaluatedProperties: false }),
}

const reasons = {
  format: 'A format is an annotation there; here a known one is checked, as zod does.',
  vocabulary: 'No metaschema is read: the keywords of the draft hold whatever $schema says.',
}

const files = [
  'additionalProperties allOf anchor anyOf boolean_schema const contains content default defs dependentRequired',
  'dependentSchemas dynamicRef enum exclusiveMaximum exclusiveMinimum format if-then-else infinite-loop-detection items',
  'maxContains maxItems maxLength maxProperties maximum minContains minItems minLength minProperties minimum multipleOf not',
  'oneOf pattern patternProperties prefixItems properties propertyNames ref refRemote required type unevaluatedItems',
  'unevaluatedProperties uniqueItems vocabulary',
].flatMap((line) => line.split(' '))

const takes = (schema: Schema, value: unknown): boolean => {
  const result = jsonSchema(schema)['~standard'].validate(value)
  if (result instanceof Promise) throw new Error('The check answers at once.')
  return result.issues === undefined
}

test('each subject of the suite has its cases, is refused, or is left out with a reason', () => {
  expect(leftOut(files, reasons)).toEqual(files.filter((name) => name in subjects || name in refused))
})

const cases = Object.entries(subjects).flatMap(([name, list]) => list.map((one) => [name, one] as const))

test.each(cases)('%s', (_, { schema, valid, invalid }) => {
  expect(valid.filter((value) => !takes(schema, value))).toEqual([])
  expect(invalid.filter((value) => takes(schema, value))).toEqual([])
  const ajv = new Ajv2020({ strict: false, multipleOfPrecision: 6, ownProperties: true }).compile(schema)
  expect([...valid, ...invalid].filter((value) => ajv(value))).toEqual(valid)
})

test.each(Object.entries(refused))('%s is refused by name', (_, schema) => {
  expect(() => jsonSchema(schema)).toThrow(ConfigurationError)
  expect(() => jsonSchema(schema)).toThrow(/^jsonSchema/)
})

test.each([
  [
    'a reference into a definition',
    object({ properties: { a: { $ref: '#/$defs/b/$defs/c' } }, $defs: { b: { $defs: { c: integer } } } }),
  ],
  ['a reference to nothing', object({ properties: { a: { $ref: '#/$defs/b' } } })],
  ['a class of Unicode', { type: 'string', pattern: String.raw`^\p{Letter}+$` }],
  ['a class of Unicode in names', object({ patternProperties: { [String.raw`^\u{61}`]: integer } })],
])('what would be checked otherwise than it says is refused: %s', (_, schema) => {
  expect(() => jsonSchema(schema)).toThrow(ConfigurationError)
})

const value = fc.jsonValue({ maxDepth: 2 })
const bound = fc.integer({ min: -3, max: 3 })
const count = fc.nat(3)
const leaf: fc.Arbitrary<Schema> = fc.oneof(
  fc.constantFrom<Schema>({}, { type: 'null' }, { type: 'boolean' }, { type: ['string', 'null'] }),
  fc.record({ enum: fc.uniqueArray(fc.constantFrom(1, 'a', null, true), { minLength: 1 }) }),
  fc.record({ const: fc.constantFrom(1, 'a', null, false, 0, '') }),
  fc.record({ type: fc.constant('string'), minLength: count, maxLength: count }, { requiredKeys: ['type'] }),
  fc.record(
    {
      type: fc.constantFrom('integer', 'number'),
      minimum: bound,
      maximum: bound,
      exclusiveMinimum: bound,
      multipleOf: fc.constantFrom(1, 2, 0.5),
    },
    { requiredKeys: ['type'] },
  ),
)
const names = fc.constantFrom('a', 'b', 'c')
const { schema } = fc.letrec<{ schema: Schema }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 2, withCrossShrink: true },
    leaf,
    fc.record(
      {
        type: fc.constant('object'),
        properties: fc.dictionary(names, tie('schema'), { maxKeys: 3 }),
        required: fc.uniqueArray(names, { maxLength: 2 }),
        additionalProperties: fc.oneof(fc.boolean(), tie('schema')),
        minProperties: count,
        maxProperties: count,
      },
      { requiredKeys: ['type'] },
    ),
    fc.record(
      {
        type: fc.constant('array'),
        items: tie('schema'),
        minItems: count,
        maxItems: count,
        uniqueItems: fc.boolean(),
      },
      { requiredKeys: ['type'] },
    ),
    fc.record({
      type: fc.constant('array'),
      prefixItems: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }),
    }),
    fc.record({ anyOf: fc.array(tie('schema'), { minLength: 1, maxLength: 3 }) }),
    fc.record({ oneOf: fc.array(tie('schema'), { minLength: 1, maxLength: 3 }) }),
    fc.record({ allOf: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }) }),
  ),
}))
const near = fc.oneof(
  value,
  fc.dictionary(names, fc.oneof(value, fc.constantFrom(1, 'a', null)), { maxKeys: 3 }),
  fc.array(fc.oneof(fc.constantFrom(1, 'a', null, true, 2.5)), { maxLength: 3 }),
)

/** Neither validator is exact for the remainder of the smallest and the largest numbers. */
const rounded = (_: string, given: unknown): unknown =>
  typeof given === 'number' ? (Math.round(given * 4) / 4) % 1000 : given

test('any schema that is taken takes and refuses what another validator does', () => {
  let compared = 0
  fc.assert(
    fc.property(schema, fc.array(near, { minLength: 1, maxLength: 8 }), (given, values) => {
      let made: ReturnType<typeof jsonSchema>
      try {
        made = jsonSchema(given)
      } catch (error) {
        expect(error).toBeInstanceOf(ConfigurationError)
        return
      }
      const ajv = new Ajv2020({ strict: false, logger: false, ownProperties: true }).compile(given)
      for (const one of JSON.parse(JSON.stringify(values), rounded) as unknown[]) {
        const result = made['~standard'].validate(one)
        const ours = !(result instanceof Promise) && result.issues === undefined
        expect({ given, one, taken: ours }).toEqual({ given, one, taken: ajv(one) })
        compared++
      }
    }),
    { numRuns: whole ? 20_000 : 300 },
  )
  expect(compared).toBeGreaterThan(500)
})
