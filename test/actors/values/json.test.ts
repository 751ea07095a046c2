/** JSON that is compared field by field is the same where its texts in one order of keys are. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { canonicalJson, isSameJson, type JsonValue } from '../../../src/actors/values/json.ts'

const json = fc.jsonValue() as fc.Arbitrary<JsonValue>

/** The value with the keys of its objects in the opposite order. */
function turned(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(turned)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([key, part]) => [key, turned(part)]),
  )
}

test('two values are the same where their canonical texts are', () => {
  fc.assert(
    fc.property(json, json, (one, other) => {
      expect(isSameJson(one, turned(structuredClone(one)))).toBe(true)
      expect(isSameJson(one, other)).toBe(canonicalJson(one) === canonicalJson(other))
      expect(isSameJson([one, { other }], [one, { other: [other] }])).toBe(false)
    }),
  )
})

test.each<[unknown, unknown, boolean]>([
  [{ a: 1, b: undefined }, { a: 1 }, true],
  [{ a: undefined }, { b: undefined }, true],
  [{ a: 1 }, { b: 1 }, false],
  [{}, [], false],
  [{ a: null }, {}, false],
  [{ toString: 1 }, {}, false],
  [{ b: 1 }, { toString: 1 }, false],
  [null, undefined, false],
])('%j and %j: %j', (one, other, expected) => {
  expect(isSameJson(one, other)).toBe(expected)
  expect(isSameJson(other, one)).toBe(expected)
})
