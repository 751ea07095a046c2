/** What makes a page slow to read. Each fault has a number, so that a page has a budget. */
import { sentencesIn, type Sentence } from './page-prose.ts'

/** Words of a sentence. */
const longest = 25
/** Of "one", "that" and "so" in 1 000 words. */
const mostVague = 15
/** Relative clauses in one sentence. */
const mostClauses = 2

export interface Faults {
  /** Sentences of more than 25 words. */
  readonly long: readonly Sentence[]
  /** Sentences with a chain of relative clauses. */
  readonly chains: readonly Sentence[]
  /** Words of other libraries for what the glossary names. */
  readonly foreign: readonly { readonly line: number; readonly text: string }[]
  /** How many of "one", "that" and "so" are too many. */
  readonly vague: number
}

export const kinds = ['long', 'chains', 'foreign', 'vague'] as const

/** `foreign`: the words of others. `exceptions`: sentences that may be long. */
export function faultsOf(page: string, foreign: readonly string[], exceptions: readonly string[]): Faults {
  const sentences = sentencesIn(page).filter(
    ({ text }) => !exceptions.some((begin) => text.startsWith(begin)),
  )
  const words = sentences.reduce((sum, sentence) => sum + sentence.words, 0)
  const vague = sentences.reduce((sum, { text }) => sum + count(text, /\b(?:one|ones|that|so)\b/gi), 0)
  return {
    long: sentences.filter((sentence) => sentence.words > longest),
    chains: sentences.filter(
      ({ text }) => count(text, /\b(?:that|which|who|whose|whom|where|what)\b/gi) > mostClauses,
    ),
    foreign: sentences.flatMap(({ line, text }) =>
      foreign
        .filter((word) => new RegExp(`\\b${word}s?\\b`, 'i').test(text))
        .map((word) => ({ line, text: `"${word}": ${text}` })),
    ),
    vague: Math.max(0, vague - Math.ceil((words * mostVague) / 1_000)),
  }
}

function count(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0
}

/** The words of others in the glossary, for what has a word of ours. A word of ours with another meaning is none. */
export function foreignWords(rows: readonly (readonly string[])[]): readonly string[] {
  const ours = new Set(rows.map(([word = '']) => word))
  return rows
    .flatMap(([, , elsewhere = '']) => elsewhere.split(', '))
    .filter((word) => word !== '' && !ours.has(word) && !everyday.includes(word))
}

/** Words that mean something else too. */
const everyday =
  'node|graph|callback|activity|transfer|turn|lock|architecture|user|command|worker|storage|session|app|server|execution|sleeping|interrupted|time travel|event history'.split(
    '|',
  )
