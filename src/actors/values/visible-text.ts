/**
 * Texts as whoever decides by them must see them. A character that is not seen, or that changes how others are seen, is
 * written as a mark, `⟨U+202E⟩`: controls, bidi controls, zero-width and other ignorable characters, variation selectors,
 * tags, line separators, spaces that look like another space, lone surrogates. The bracket that opens a mark is written as
 * a mark too, so that no text can look like the mark of another.
 */

const unseen =
  /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}\u2800\u27E8]|(?![ \u3000])\p{Zs}/gu

/** A piece of a text: as it is, or the mark of one character. */
export interface VisiblePiece {
  readonly text: string
  readonly isMark: boolean
}

/** The text in one line: characters that are not seen are marks, as `⟨U+200B⟩`. Different texts stay different. */
export function visibleText(text: string): string {
  return text.replace(unseen, markOf)
}

/** As `visibleText`, but line feeds and tabs stay as they are. */
export function visibleLines(text: string): string {
  return text.replace(unseen, (character) => (isLayout(character) ? character : markOf(character)))
}

/** The pieces of `visibleLines`, so that a page can set marks apart from the text. */
export function visiblePieces(text: string): readonly VisiblePiece[] {
  const pieces: VisiblePiece[] = []
  let from = 0
  for (const { 0: character, index } of text.matchAll(unseen)) {
    if (isLayout(character)) continue
    if (index > from) pieces.push({ text: text.slice(from, index), isMark: false })
    pieces.push({ text: markOf(character), isMark: true })
    from = index + character.length
  }
  if (from < text.length) pieces.push({ text: text.slice(from), isMark: false })
  return pieces
}

/** The value as JSON in which a character that is not seen is an escape, as `\u202e`: it parses to the same value. */
export function visibleJson(value: unknown, indent?: number): string {
  const text: string | undefined = JSON.stringify(value, undefined, indent)
  if (text === undefined) return 'undefined'
  return text.replace(unseen, (character) => {
    if (character === '\n' || character === '⟨') return character
    return Array.from({ length: character.length }, (_, at) => unitOf(character, at)).join('')
  })
}

function unitOf(character: string, at: number): string {
  return `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`
}

function isLayout(character: string): boolean {
  return character === '\n' || character === '\t'
}

function markOf(character: string): string {
  const code = character.codePointAt(0) ?? 0
  return `⟨U+${code.toString(16).toUpperCase().padStart(4, '0')}⟩`
}
