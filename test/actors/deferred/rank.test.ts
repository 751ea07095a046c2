/** The ranking of tools by words. */
import { expect, test } from 'vitest'
import { ranked, wordsOf } from '../../../src/actors/deferred/rank.ts'

const tool = (name: string, description = '', properties: Record<string, never> = {}) => ({
  name,
  description,
  parameters: { type: 'object', properties },
})

test.each([
  ['listPullRequests', ['list', 'pull', 'request']],
  ['merge_branch', ['merg', 'branch']],
  ['the issues of a repository', ['issu', 'repositori']],
  ['repositories', ['repositori']],
  ['merging, merged, merges', ['merg', 'merg', 'merg']],
  ['stop stopped stopping', ['stop', 'stop', 'stop']],
  ['classes and boxes', ['class', 'box']],
  ['größe Größen', ['größ', 'größen']],
  ['', []],
  ['  !? ', []],
])('the words of %j', (text, words) => {
  expect(wordsOf(text)).toEqual(words)
})

test('a word of the name counts more than one of the description, and a rare word more than a common one', () => {
  const tools = [
    tool('other', 'Finds branches.'),
    tool('branch'),
    tool('list_all'),
    tool('list_some'),
    tool('list_zebras'),
  ]
  expect(ranked(tools, 'branches', 5)).toEqual(['branch', 'other'])
  expect(ranked(tools, 'list the zebras', 5)[0]).toBe('list_zebras')
})

test('parameters are found by their names, their descriptions and their values', () => {
  const properties = { milestone: { description: 'A due date.', enum: ['now', 'never'] } as never }
  const tools = [tool('a'), tool('b', '', properties)]
  for (const word of ['milestones', 'dates', 'never']) expect(ranked(tools, word, 5)).toEqual(['b'])
})

test('of equals the first comes first, and no more than asked for', () => {
  const tools = ['a', 'b', 'c'].map((name) => tool(name, 'Looks.'))
  expect(ranked(tools, 'look', 2)).toEqual(['a', 'b'])
  expect(ranked([], 'look', 2)).toEqual([])
  expect(ranked(tools, 'nothing of this', 2)).toEqual([])
})

test('words that every object has are words as any other', () => {
  expect(ranked([tool('constructor'), tool('__proto__')], 'constructor', 5)).toEqual(['constructor'])
})
