/** The search in the content of entries: its hits with their marks, page by page, whatever the content is. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { JournalEntry } from '../../../src/index.ts'
import { searchEntries } from '../../../src/inspector/files/entry-search.ts'
import type { RowDetail } from '../../../src/inspector/wire/routes.ts'

function detail(text: string): RowDetail {
  const entry: JournalEntry = {
    type: 'effect.settled',
    at: 1,
    key: 'lead/tool#1',
    kind: 'tool',
    digest: '0',
    startedAt: 1,
    settlement: { value: { type: 'returned', value: { report: text } } },
  }
  return { entry, events: [] }
}

async function search(texts: readonly (string | undefined)[], text: string, from = 0, limit = 100) {
  const read = async (row: number) => {
    const content = texts[row]
    return content === undefined ? undefined : detail(content)
  }
  return searchEntries(read, { text, from, length: texts.length, limit })
}

const far = `${'x '.repeat(5_000)}the Ledger of 1632${' y'.repeat(5_000)}`

test('a word far into a text is found, and the excerpt is around it', async () => {
  const { hits, next } = await search(['nothing', far], 'LEDGER 1632')
  expect(next).toBeUndefined()
  expect(hits).toHaveLength(1)
  const [{ row, where, excerpt, marks } = { row: -1, where: '', excerpt: '', marks: [] }] = hits
  expect([row, where]).toEqual([1, 'settlement.value.value.report'])
  expect(marks.map(([start, end]) => excerpt.slice(start, end))).toEqual(['Ledger', '1632'])
  expect(excerpt.length).toBeLessThanOrEqual(162)
})

test('all words must be in the entry, in any of its texts', async () => {
  const texts = ['ledger', 'ledger of the tool', 'tools alone']
  expect((await search(texts, 'ledger returned')).hits.map(({ row }) => row)).toEqual([0, 1])
  expect((await search(texts, 'ledger missing')).hits).toEqual([])
  expect((await search(texts, '   ')).hits).toEqual([])
})

test('a page has at most its hits, and the next goes on behind them; what is withheld is not searched', async () => {
  const texts = Array.from({ length: 50 }, (_, row) => (row === 3 ? undefined : 'tea'))
  const rows: number[] = []
  let from: number | undefined = 0
  while (from !== undefined) {
    const page: Awaited<ReturnType<typeof search>> = await search(texts, 'tea', from, 7)
    expect(page.hits.length).toBeLessThanOrEqual(7)
    rows.push(...page.hits.map(({ row }) => row))
    from = page.next
  }
  expect(rows).toEqual(Array.from({ length: 50 }, (_, row) => row).filter((row) => row !== 3))
})

test('unseen characters of a hit are marks, and each mark is a word of the search', async () => {
  const [hit] = (await search(['pay \u202Eann\u202C the <img src=x onerror=alert(1)> bill\0'], 'bill')).hits
  expect(hit?.excerpt).not.toMatch(/[\0\u202E\u202C]/)
  expect(hit?.excerpt).toContain('<img src=x onerror=alert(1)>')
  await fc.assert(
    fc.asyncProperty(
      fc.string({ unit: 'binary', maxLength: 400 }),
      fc.string({ minLength: 1, maxLength: 8 }),
      async (text, word) => {
        const { hits } = await search([text], word)
        for (const { excerpt, marks } of hits) {
          expect(excerpt.isWellFormed()).toBe(true)
          expect(excerpt.length).toBeLessThanOrEqual(162)
          const words = word.toLowerCase().split(/\s+/)
          for (const [start, end] of marks)
            expect(
              words.some((one) => one !== '' && excerpt.slice(start, end).toLowerCase().includes(one)),
            ).toBe(true)
        }
      },
    ),
    { numRuns: 300 },
  )
})
