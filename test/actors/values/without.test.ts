import { expect, test } from 'vitest'
import { without } from '../../../src/runtime/interpreter/children.ts'

test('a copy lacks one name, and keeps the others in their order', () => {
  const record = { b: 1, a: 2, c: undefined }
  expect(Object.entries(without(record, 'a'))).toEqual([
    ['b', 1],
    ['c', undefined],
  ])
  expect(record).toEqual({ b: 1, a: 2, c: undefined })
})

test('a name that is not there changes nothing', () => {
  const record = { a: 1 }
  expect(without(record, 'b')).toEqual(record)
  expect(without(record, 'b')).not.toBe(record)
})
