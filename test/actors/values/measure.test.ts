/** The size of data from outside, in levels and in number. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { excessOf } from '../../../src/actors/values/measure.ts'

/** As it is defined: by a function that calls itself. */
function counted(value: unknown): { readonly levels: number; readonly values: number } {
  if (typeof value !== 'object' || value === null) return { levels: 0, values: 1 }
  const inner = Object.values(value).map(counted)
  return {
    levels: 1 + Math.max(0, ...inner.map(({ levels }) => levels)),
    values: 1 + inner.reduce((sum, { values }) => sum + values, 0),
  }
}

test('it counts as the definition does, of any JSON', () => {
  fc.assert(
    fc.property(
      fc.jsonValue({ maxDepth: 6 }),
      fc.nat(8),
      fc.integer({ min: 1, max: 40 }),
      (value, levels, values) => {
        const is = counted(value)
        const excess = excessOf(value, { levels, values })
        expect(excess === undefined).toBe(is.levels <= levels && is.values <= values)
      },
    ),
  )
})

test.each([500, 501, 5_000, 1_000_000])('%d levels overflow nothing', (levels) => {
  let value: unknown = 'deep'
  for (let level = 0; level < levels; level++) value = level % 2 === 0 ? [value] : { a: value }
  expect(excessOf(value)).toEqual(levels > 500 ? { of: 'levels', most: 500 } : undefined)
})

test('a long list is counted', () => {
  expect(excessOf(Array.from({ length: 99_999 }, () => 1))).toBeUndefined()
  expect(excessOf(Array.from({ length: 100_000 }, () => 1))).toEqual({ of: 'values', most: 100_000 })
})
