/** Searches the whole content of the entries of a run, as it may be sent to the page. */
import { nextTask } from '../../kit/host.ts'
import { visibleText } from '../../kit/index.ts'
import type { RowDetail, SearchHit, SearchPage } from '../wire/routes.ts'

/** An entry as it may be sent; `undefined`: it is withheld, and not searched. */
export type ReadDetail = (row: number) => Promise<RowDetail | undefined>

export interface SearchOptions {
  readonly text: string
  /** The first row to search. */
  readonly from: number
  /** The number of rows. */
  readonly length: number
  /** The most hits of the page. */
  readonly limit: number
}

/** Characters of a search, and its words: more are left out. */
const longestText = 200
const mostWords = 8

/** Milliseconds of a page; a search that takes longer goes on with the next one. */
const longestPage = 400

/** Rows between two looks at the other work of the process. */
const slice = 20

/** Characters before the first mark of an excerpt, and of the whole. */
const before = 40
const longestExcerpt = 160

/** The rows from `from` on that hold all words of the text, in either case, each with a part of one of its texts. */
export async function searchEntries(
  read: ReadDetail,
  { text, from, length, limit }: SearchOptions,
): Promise<SearchPage> {
  const words = wordsIn(text)
  const hits: SearchHit[] = []
  if (words.length === 0) return { hits }
  const began = performance.now()
  for (let row = from; row < length; row++) {
    const isLate = row % slice === 0 && row > from && performance.now() - began > longestPage
    if (isLate || hits.length === limit) return { hits, next: row }
    if (row % slice === 0) await new Promise<void>(nextTask)
    const detail = await read(row)
    const hit = detail === undefined ? undefined : hitIn(detail, words)
    if (hit !== undefined) hits.push({ row, ...hit })
  }
  return { hits }
}

function wordsIn(text: string): readonly string[] {
  const words = text.slice(0, longestText).toLowerCase().split(/\s+/)
  return [...new Set(words)].filter((word) => word !== '').slice(0, mostWords)
}

function hitIn(detail: RowDetail, words: readonly string[]): Omit<SearchHit, 'row'> | undefined {
  const missing = new Set(words)
  let best: { readonly where: string; readonly text: string; readonly found: number } | undefined
  for (const { where, text } of textsIn(detail)) {
    const folded = text.toLowerCase()
    const found = words.filter((word) => folded.includes(word))
    for (const word of found) missing.delete(word)
    if (found.length > (best?.found ?? 0)) best = { where, text, found: found.length }
    if (best?.found === words.length) break
  }
  return missing.size > 0 || best === undefined
    ? undefined
    : { where: best.where, ...excerptOf(best.text, words) }
}

interface Leaf {
  /** The names of the fields that lead to it. */
  readonly where: string
  readonly text: string
}

/** The texts and numbers of an entry; what it led to stands in its events. */
function* textsIn({ entry, events }: RowDetail): Generator<Leaf, void> {
  const pending: { readonly where: string; readonly value: unknown }[] = [
    { where: '', value: entry },
    ...events.map(({ type, payload }) => ({ where: type, value: payload })),
  ].toReversed()
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { where, value } = next
    if (typeof value === 'string') yield { where, text: value }
    else if (typeof value === 'number' || typeof value === 'boolean') yield { where, text: String(value) }
    else if (value !== null && typeof value === 'object') {
      const fields = Object.entries(value).map(([name, field]) => ({
        where: where === '' ? name : `${where}.${name}`,
        value: field as unknown,
      }))
      pending.push(...fields.toReversed())
    }
  }
}

/** The part of the text around the first word, in one line, and where its words are. */
function excerptOf(text: string, words: readonly string[]): Pick<SearchHit, 'excerpt' | 'marks'> {
  const folded = text.toLowerCase()
  const places = words.map((word) => folded.indexOf(word)).filter((place) => place >= 0)
  const from = Math.max(0, Math.min(...places) - before)
  const part = text.slice(from, from + 2 * longestExcerpt).toWellFormed()
  const line = visibleText(part.replaceAll(/\s+/g, ' ')).slice(0, longestExcerpt).toWellFormed()
  const [head, tail] = [
    from > 0 ? '…' : '',
    from + part.length < text.length || line.length === longestExcerpt ? '…' : '',
  ]
  const excerpt = `${head}${line}${tail}`
  return { excerpt, marks: marksIn(excerpt, words) }
}

function marksIn(excerpt: string, words: readonly string[]): SearchHit['marks'] {
  const folded = excerpt.toLowerCase()
  if (folded.length !== excerpt.length) return [] // a letter that has two in lower case: no place can be named
  const found: (readonly [number, number])[] = []
  for (const word of words)
    for (let at = folded.indexOf(word); at >= 0; at = folded.indexOf(word, at + word.length))
      found.push([at, at + word.length])
  const marks: [number, number][] = []
  for (const [from, until] of found.toSorted(([a], [b]) => a - b)) {
    const last = marks.at(-1)
    if (last === undefined || from > last[1]) marks.push([from, until])
    else last[1] = Math.max(last[1], until)
  }
  return marks
}
