/** The columns of a terminal: wide letters take two, marks none. */
import { columnsIn, cutToColumns, fittingColumns } from 'troupe/kit'
import fc from 'fast-check'
import { expect, test } from 'vitest'

test.each([
  ['abc', 3],
  ['漢字', 4],
  ['e\u0301', 1],
  ['🎭', 2],
  ['', 0],
])('%j takes %i columns', (text, columns) => {
  expect(columnsIn(text)).toBe(columns)
})

test('a text that is cut fits, ends with a mark, and no character is halved', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 3, max: 40 }), (text, width) => {
      const cut = cutToColumns(text, width)
      expect(columnsIn(cut)).toBeLessThanOrEqual(width)
      expect(cut === text || cut.endsWith('…')).toBe(true)
      expect(text.isWellFormed() ? cut.isWellFormed() : true).toBe(true)
    }),
  )
})

test('at least one character fits, whole', () => {
  expect(fittingColumns('🎭🎭', 1)).toBe(2)
})
