/** The behaviours that test files name are rules of docs/design/behaviours.md, and no test names another document. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readSources } from './support/imports.ts'

const page = readFileSync(join(import.meta.dirname, '../docs/design/behaviours.md'), 'utf8')
const numbered = [...page.matchAll(/^(\d+)\. /gm)].map(([, number]) => Number(number))
const sources = Object.entries(readSources(import.meta.dirname))

/** For example `Behaviours 27 to 29, 40 and 41`. */
function citedIn(source: string): number[] {
  return [...source.matchAll(/\bBehaviours? (\d+(?:(?:, | and | to )\d+)*)/g)].flatMap(([, list = '']) =>
    list.split(/, | and /).flatMap((part) => {
      const [from = 0, to = from] = part.split(' to ').map(Number)
      return Array.from({ length: to - from + 1 }, (_, index) => from + index)
    }),
  )
}

test('the rules are numbered from 1 on', () => {
  expect(numbered).toEqual(numbered.map((_, index) => index + 1))
})

test('a cited list and a cited range are read', () => {
  expect(citedIn('Behaviours 28, 40, 42 and 43; Behaviour 30; Behaviours 1 to 3 and 9')).toEqual([
    28, 40, 42, 43, 30, 1, 2, 3, 9,
  ])
})

test('every behaviour that a test names is a rule', () => {
  const cited = sources.flatMap(([, source]) => citedIn(source))
  expect(cited.filter((number) => !numbered.includes(number))).toEqual([])
  expect(new Set(cited).size).toBeGreaterThan(30)
})

test('no test names a document that is not in the repository', () => {
  const foreign = new RegExp(
    `\\b(${['BEHAVIOURS', 'DESIGN', 'HOUSE', 'PROOF', 'ECOSYSTEM'].join('|')})\\b|\\bissue \\d`,
  )
  const self = 'behaviours-page.test.ts'
  expect(
    sources.filter(([file, source]) => file !== self && foreign.test(source)).map(([file]) => file),
  ).toEqual([])
})
