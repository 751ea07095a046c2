/**
 * The widths of texts, from a table: a drawing is made without a document, and is the same everywhere. Each text of a drawing
 * is set to the width that is found here, whatever font shows it.
 */

/** Widths in thousandths of the size of the font, by character: those of the common sans serif fonts. */
const widths = tableOf({
  222: "ijl'",
  278: ' !,./:;I[\\]ft|',
  333: '()-`r{}‑',
  355: '"',
  389: '*',
  469: '^',
  500: 'ckJsvxyz',
  556: '#$0123456789?L_abdeghnopqu+<=>~…',
  611: 'FTZ',
  667: '&ABEKPSVXY',
  722: 'CDHNRUw',
  778: 'GOQ',
  833: 'Mm',
  889: '%',
  944: 'W',
  1000: '→←↻⟨⟩—',
  1015: '@',
})

function tableOf(byWidth: Readonly<Record<number, string>>): ReadonlyMap<string, number> {
  return new Map(
    Object.entries(byWidth).flatMap(([width, characters]) =>
      Array.from(characters, (character) => [character, Number(width)] as const),
    ),
  )
}

/** Fonts of pages are a little wider than the table. */
const room = 1.04
const bolder = 1.07

/** Sizes of fonts in pixels. */
export const textSize = 12
export const titleSize = 13

export interface Font {
  readonly size?: number
  readonly isBold?: boolean
}

/** The width of a text in pixels. */
export function textWidth(text: string, { size = textSize, isBold = false }: Font = {}): number {
  let sum = 0
  for (const character of text) sum += widths.get(character) ?? otherWidth(character)
  return Math.ceil((sum * size * room * (isBold ? bolder : 1)) / 1000)
}

/** Marks that join a letter have no width; ideographs, signs and emoji are squares or more. */
function otherWidth(character: string): number {
  const code = character.codePointAt(0) ?? 0
  if (/\p{M}/u.test(character)) return 0
  if (code > 0xffff) return 1300
  return code >= 0x1100 ? 1050 : 700
}

/** The text in lines of at most this width; words that are wider are cut into pieces. At most `most` lines, the last cut. */
export function wrapped(text: string, width: number, most: number, font: Font = {}): readonly string[] {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    for (const piece of piecesOf(word, width, font)) {
      const longer = line === '' ? piece : `${line} ${piece}`
      if (textWidth(longer, font) <= width) line = longer
      else {
        if (line !== '') lines.push(line)
        line = piece
      }
      if (lines.length > most) break
    }
  }
  if (line !== '') lines.push(line)
  if (lines.length <= most) return lines
  return [...lines.slice(0, most - 1), fitted(`${lines[most - 1] ?? ''}…`, width, font)]
}

/** A word as it is, or in pieces that fit: cut before a capital letter where that is possible. */
function piecesOf(word: string, width: number, font: Font): readonly string[] {
  if (textWidth(word, font) <= width) return [word]
  const pieces: string[] = []
  let piece = ''
  for (const part of word.split(/(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=[-_./:,])/u)) {
    for (const unit of textWidth(part, font) <= width ? [part] : Array.from(part)) {
      if (piece !== '' && textWidth(piece + unit, font) > width) {
        pieces.push(piece)
        piece = ''
      }
      piece += unit
    }
  }
  return piece === '' ? pieces : [...pieces, piece]
}

/** The text, cut to a width. */
export function fitted(text: string, width: number, font: Font = {}): string {
  if (textWidth(text, font) <= width) return text
  const characters = Array.from(text.replace(/…$/, ''))
  while (characters.length > 0 && textWidth(`${characters.join('')}…`, font) > width) characters.pop()
  return `${characters.join('')}…`
}
