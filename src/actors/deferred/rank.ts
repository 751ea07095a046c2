/**
 * Ranks tools by the words of a request: BM25 over name, description and parameters. A word of a name counts
 * three times. Plain words of grammar count nothing, and endings are cut, so that `issues` finds `list_issue`.
 */
import type { ToolDescription } from '../chat-model.ts'
import { isRecord } from '../values/json.ts'
import { once } from '../values/once.ts'

/** Saturation of repeated words, and the part that the length of a text plays: the usual values. */
const [k1, b] = [1.2, 0.75]

const nameWeight = 3

/** Characters of a request that count. */
const longest = 2_000

const plain = once(
  (): ReadonlySet<string> =>
    new Set(
      'a an and any are as at be by can do for from have how i if in into is it its me my need of on or our please so some that the their them then these this those to want we what when where which who will with you your'.split(
        ' ',
      ),
    ),
)

/** A word to look up: in lower case, and without its ending. */
export function wordsOf(text: string): readonly string[] {
  const grammar = plain()
  return text
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '' && !grammar.has(word))
    .map(stem)
}

function stem(word: string): string {
  if (word.length <= 3) return word
  const singular = word.replace(/(?:ies|y)$/, 'i').replace(/(?<=[sxz]|ch|sh)es$|(?<!s)s$/, '')
  const cut = singular.replace(/(?:ing|ed|e)$/, '')
  if (cut === singular || cut.length < 3) return singular
  return cut.replace(/([bdfglmnprt])\1$/, '$1')
}

interface Posting {
  readonly place: number
  readonly weight: number
}

interface Index {
  readonly postings: ReadonlyMap<string, readonly Posting[]>
  readonly lengths: readonly number[]
  readonly averageLength: number
}

const indexes = new WeakMap<readonly ToolDescription[], Index>()

/** The names of the tools that fit best, the best first: at most `limit`. The index of a list is made once. */
export function ranked(tools: readonly ToolDescription[], request: string, limit: number): readonly string[] {
  const index = indexes.get(tools) ?? indexOf(tools)
  indexes.set(tools, index)
  const scores = new Map<number, number>()
  for (const word of new Set(wordsOf(request.slice(0, longest)))) {
    const postings = index.postings.get(word) ?? []
    const rarity = Math.log(1 + (tools.length - postings.length + 0.5) / (postings.length + 0.5))
    for (const { place, weight } of postings) {
      const norm = 1 - b + (b * (index.lengths[place] ?? 0)) / index.averageLength
      const score = (rarity * weight * (k1 + 1)) / (weight + k1 * norm)
      scores.set(place, (scores.get(place) ?? 0) + score)
    }
  }
  return [...scores]
    .toSorted(([one, mine], [other, theirs]) => theirs - mine || one - other)
    .slice(0, limit)
    .flatMap(([place]) => tools[place]?.name ?? [])
}

function indexOf(tools: readonly ToolDescription[]): Index {
  const postings = new Map<string, Posting[]>()
  const lengths = tools.map((tool, place) => {
    const weights = weightsOf(tool)
    let length = 0
    for (const [word, weight] of weights) {
      length += weight
      const known = postings.get(word)
      if (known === undefined) postings.set(word, [{ place, weight }])
      else known.push({ place, weight })
    }
    return length
  })
  const total = lengths.reduce((sum, length) => sum + length, 0)
  return { postings, lengths, averageLength: Math.max(1, total / Math.max(1, tools.length)) }
}

function weightsOf({ name, description, parameters }: ToolDescription): ReadonlyMap<string, number> {
  const { properties } = parameters
  const weights = new Map<string, number>()
  const add = (text: string, weight: number): void => {
    for (const word of wordsOf(text)) weights.set(word, (weights.get(word) ?? 0) + weight)
  }
  add(name, nameWeight)
  add(description, 1)
  if (isRecord(properties)) {
    for (const [parameter, schema] of Object.entries(properties)) add(`${parameter} ${saidOf(schema)}`, 1)
  }
  return weights
}

/** The description of a parameter, and the values that it may have. */
function saidOf(schema: unknown): string {
  if (!isRecord(schema)) return ''
  const { description = '', enum: values } = schema
  return [description, ...(Array.isArray(values) ? (values as unknown[]) : [])]
    .filter((one) => typeof one === 'string')
    .join(' ')
}
