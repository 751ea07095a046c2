import { expect, test } from 'vitest'
import { modelOf } from '../recorded-run.ts'
import { aRow, aStep } from '../rows.ts'

const rows = [
  aRow(0, { line: 'Research tea' }),
  aRow(1, { line: 'Green TEA and milk', transitions: [aStep('lead', 'thinking', 'acting')] }),
  aRow(2, { line: '<b>coffee</b>', error: 'TOOL_FAILED' }),
]

test('a search finds the rows that have all words, in any case and any order', () => {
  const model = modelOf(rows)
  expect(model.search('tea')).toEqual([0, 1])
  expect(model.search(' milk  green ')).toEqual([1])
  expect(model.search('<B>')).toEqual([2])
  expect(model.search('tool_failed')).toEqual([2])
  expect(model.search('acting')).toEqual([1])
  expect(model.search('cocoa')).toEqual([])
  expect(model.search('  ')).toEqual([])
})

test('a search goes on in rows that come later', () => {
  const model = modelOf(rows)
  expect(model.search('tea')).toEqual([0, 1])
  model.append([aRow(3, { line: 'More tea' }), aRow(4, { line: 'none' })])
  expect(model.search('tea')).toEqual([0, 1, 3])
  expect(model.search('tea')).toEqual([0, 1, 3])
})
