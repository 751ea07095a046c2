/** What the check of the pages counts as a sentence, and what as a fault of it. */
import { expect, test } from 'vitest'
import { faultsOf, foreignWords } from '../../scripts/prose/faults.ts'
import { sentencesIn } from '../../scripts/prose/page-prose.ts'

const page = `# A title that is no sentence

A first sentence, over
two lines. A second with \`some code()\` and [a link](that/which.md).

| that | which | who |
| ---- | ----- | --- |

- An item: it is short.
- \`another\` item

\`\`\`ts
const that = 'so that one which who that'
\`\`\`

<!-- that is a comment -->

1. The last.`

test('sentences are those of paragraphs and lists', () => {
  expect(sentencesIn(page).map(({ line, words }) => [line, words])).toEqual([
    [3, 6],
    [3, 7],
    [9, 5],
    [10, 2],
    [18, 2],
  ])
})

const long = `A sentence ${'word '.repeat(24)}ends.`

test.each([
  ['a long sentence', long, { long: 1, chains: 0, vague: 0, foreign: 0 }],
  [
    'a chain',
    'It is a thing that has what one sees where it is.',
    { long: 0, chains: 1, vague: 1, foreign: 0 },
  ],
  ['a word of others', 'A guardrail checks it.', { long: 0, chains: 0, vague: 0, foreign: 1 }],
  ['none', 'A processor checks a prompt.', { long: 0, chains: 0, vague: 0, foreign: 0 }],
])('%s is counted', (_, text, expected) => {
  const found = faultsOf(text, ['guardrail'], [])
  expect({
    long: found.long.length,
    chains: found.chains.length,
    vague: found.vague,
    foreign: found.foreign.length,
  }).toEqual(expected)
})

test('a named exception may be long', () => {
  expect(faultsOf(long, [], ['A sentence word']).long).toEqual([])
})

test('words of others are those of the glossary that are not ours', () => {
  expect(
    foreignWords([
      ['processor', 'checks', 'guardrail, turn'],
      ['thread', 'messages', 'session, run'],
      ['run', 'a task', 'thread run'],
    ]),
  ).toEqual(['guardrail', 'thread run'])
})
