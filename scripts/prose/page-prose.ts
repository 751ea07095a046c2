/** The sentences of a page of Markdown: of paragraphs, lists and quotes. Code, tables and headings have none. */

export interface Sentence {
  readonly line: number
  readonly text: string
  readonly words: number
}

export function sentencesIn(page: string): readonly Sentence[] {
  return blocksIn(page).flatMap(({ line, text }) =>
    plain(text)
      .split(/(?<=[.!?:]["”)]?)\s+(?=["“(]?[\p{Lu}\d`@<$¤]|$)/u)
      .map((sentence) => ({ line, text: sentence.trim(), words: wordsIn(sentence) }))
      .filter(({ words }) => words > 0),
  )
}

function wordsIn(text: string): number {
  return text.match(/[\p{L}\p{N}¤][\p{L}\p{N}'’¤-]*/gu)?.length ?? 0
}

/** What stands together: the lines of a paragraph, or of an item of a list. */
function blocksIn(page: string): readonly { readonly line: number; readonly text: string }[] {
  const blocks: { line: number; text: string[] }[] = []
  let isCode = false
  let isOpen = false
  for (const [index, line] of page
    .replaceAll(/<!--[^]*?-->/g, blank)
    .split('\n')
    .entries()) {
    if (/^\s*```/.test(line)) isCode = !isCode
    const isProse = !isCode && !/^\s*(?:```|\||#|<|!\[|---|$)/.test(line)
    const isItem = /^\s*(?:[-*]|\d+\.)\s/.test(line)
    if (!isProse) isOpen = false
    else if (isOpen && !isItem) blocks.at(-1)?.text.push(line)
    else {
      blocks.push({ line: index + 1, text: [line] })
      isOpen = true
    }
  }
  return blocks.map(({ line, text }) => ({ line, text: text.join(' ') }))
}

function blank(text: string): string {
  return text.replaceAll(/[^\n]/g, '')
}

/** A span of code is one word (`¤`), a link is its text. */
function plain(text: string): string {
  return text
    .replace(/^\s*(?:[-*>]|\d+\.)\s+/, '')
    .replaceAll(/`[^`]*`/g, '¤')
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/https?:\S+/g, '¤')
    .replaceAll(/\*\*/g, '')
    .replaceAll(/\b(?:e\.g\.|i\.e\.|etc\.|vs\.)/g, 'as')
}
