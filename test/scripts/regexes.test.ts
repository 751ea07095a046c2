/** The check that every regular expression of the sources is linear. */
import { expect, test } from 'vitest'
import { findRegexes } from '../../scripts/find-regexes.ts'
import { faultOf } from '../../scripts/regex-fault.ts'

function faultsIn(source: string): readonly string[] {
  return findRegexes('a.ts', source).flatMap((found) => (faultOf(found) === undefined ? [] : [found.text]))
}

test.each([
  ['a search that begins anew at each place', String.raw`text.replace(/\s+$/, '')`],
  ['the last part of a name', '/[^.]*$/.exec(path)'],
  ['two repetitions that share characters', '/^a*a*b/.test(text)'],
  ['nested repetitions', '/^(a+)+$/.test(text)'],
  ['an exponential choice without an end', '/^(a|a)*$/.test(text)'],
  ['the block of code that held a worker', '/^\\s*```(?:json)?\\s*\\n([^]*?)\\n?\\s*```\\s*$/.exec(text)'],
  ['the address in an error that held the loop', '/\\b([a-z][a-z0-9+.-]*:\\/\\/)[^\\s@]+@/gi.exec(text)'],
  ['an expression of a text', 'new RegExp(`<${tag}>`)'],
  ['an expression of a text, without new', 'RegExp(word)'],
])('%s is a fault', (_, source) => {
  expect(faultsIn(source)).toHaveLength(1)
})

test.each([
  ['a class', String.raw`/[\r\n]/.test(text)`],
  ['a count', '/^[0-9a-f]{64}$/.test(text)'],
  ['a range', '/^[A-Za-z0-9_-]{1,64}$/.test(text)'],
  ['one repetition from the beginning', '/^[a-z]+$/.test(text)'],
  ['a sticky repetition', String.raw`/[\w-]+/y.test(text)`],
  ['a repetition behind a sign that it excludes', '/[?&]([a-z]+)=/g'],
])('%s is linear', (_, source) => {
  expect(findRegexes('a.ts', source)).toHaveLength(1)
  expect(faultsIn(source)).toEqual([])
})

test('an expression is found with its line, in types of the page too', () => {
  const source = 'const a = 1\n\nexport const Row = () => <p title={/x+/.source}>{a}</p>\n'
  expect(findRegexes('row.tsx', source)).toEqual([
    { line: 3, text: '/x+/', regex: { pattern: 'x+', flags: '' } },
  ])
})
