/** The index of the field names tests that exist, and leaves no row out. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseSync, Visitor } from 'oxc-parser'
import { expect, test } from 'vitest'
import { rows } from './rows.ts'

/** How many rows each chapter of the report has. */
const chapters = { A: 15, B: 18, C: 11, D: 11, E: 9, F: 8 }

/** The texts that the calls of a test file begin with: the titles of its tests are among them. */
function titlesIn(file: string): string[] {
  const path = join(import.meta.dirname, '..', file)
  const titles: string[] = []
  new Visitor({
    CallExpression({ arguments: [first] }) {
      if (first?.type === 'Literal' && typeof first.value === 'string') titles.push(first.value)
    },
  }).visit(parseSync(path, readFileSync(path, 'utf8')).program)
  return titles
}

test('each row of the report is listed', () => {
  const names = Object.entries(chapters).flatMap(([letter, count]) =>
    Array.from({ length: count }, (_, index) => `${letter}${index + 1}`),
  )
  expect(Object.keys(rows).toSorted()).toEqual(names.toSorted())
})

test.for(Object.entries(rows))('%s is held by tests that exist, or is open with its issue', ([, row]) => {
  const { tests = [], open, sources = [] } = row
  expect(tests.length > 0 || open !== undefined).toBe(true)
  for (const [file, title] of tests) {
    const found = titlesIn(file).filter((named) => named.includes(title))
    expect(found, `${file}: ${title}`).not.toEqual([])
  }
  for (const source of sources) expect(source).toMatch(/^[\w.-]+\/[\w.-]+#\d+$/)
})
