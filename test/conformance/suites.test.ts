/** The page of the suites lists each of them, with its version and its source. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { linksIn, tableAfter } from '../support/markdown.ts'
import { leftOut } from './support/left-out.ts'

const page = readFileSync(join(import.meta.dirname, 'README.md'), 'utf8')
const rows = tableAfter(page, '# Suites of others')

test('each file of a suite has a row, and each row a file', () => {
  const files = globSync('*.test.ts', { cwd: import.meta.dirname }).filter(
    (file) => file !== 'suites.test.ts',
  )
  const listed = rows.flatMap(([suite = '']) => linksIn(suite).map(({ target }) => target))
  expect(new Set(listed)).toEqual(new Set(files))
})

test.for(rows)('the row of %s is whole', (cells) => {
  expect(cells).toHaveLength(4)
  expect(cells.filter((cell) => cell === '')).toEqual([])
})

test('a case that is left out is one of the suite, and has a reason', () => {
  expect(leftOut(['a', 'b'], { b: 'Needs a browser.' })).toEqual(['a'])
  expect(() => leftOut(['a'], { c: 'It is not here.' })).toThrow('no case c')
  expect(() => leftOut(['a'], { a: 'no' })).toThrow('Say why a')
})
