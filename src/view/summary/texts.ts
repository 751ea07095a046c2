/** Texts of others as a summary has them: cut to a length, and without characters that are not seen. */
import { visibleText, visibleJson } from '../../kit/index.ts'
import type { Phrase, Sentence } from './summary.ts'

/** Characters of a task or an answer, of a text in a list, and of a name. */
const longest = { text: 4_000, line: 300, name: 80 }

/** A text of several lines: line feeds stay. */
export function textOf(text: unknown): string {
  return cut(stringOf(text), longest.text).split('\n').map(visibleText).join('\n')
}

/** A text in one line. */
export function lineOf(text: unknown, most = longest.line): string {
  const given = stringOf(text)
  const line = given
    .slice(0, 4 * most)
    .replaceAll(/\s+/g, ' ')
    .trim()
  return visibleText(cut(line, most, given.length > 4 * most))
}

export function nameOf(text: unknown): string {
  return lineOf(text, longest.name)
}

/** The sentence as a text. */
export function sentenceText(sentence: Sentence): string {
  return sentence.map((phrase) => (typeof phrase === 'string' ? phrase : `entry ${phrase.entry}`)).join('')
}

/** The sentence without phrases that are empty. */
export function sentence(...phrases: readonly Phrase[]): Sentence {
  return phrases.filter((phrase) => phrase !== '')
}

/** `1 call`, `2 calls`. */
export function plural(count: number, word: string): string {
  const words = word.endsWith('y') ? `${word.slice(0, -1)}ies` : `${word}s`
  return `${count} ${count === 1 ? word : words}`
}

function stringOf(value: unknown): string {
  if (typeof value === 'string') return value
  return value === undefined ? '' : visibleJson(value)
}

/** A pair of surrogates stays whole. */
function cut(text: string, most: number, isCut = false): string {
  if (text.length <= most) return isCut ? `${text}…` : text
  return `${text.slice(0, most - 1).replace(/[\uD800-\uDBFF]$/, '')}…`
}
