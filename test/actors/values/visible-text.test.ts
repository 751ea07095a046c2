/** What somebody decides by is shown as it is: no character hides, and no two texts look alike. */
import fc from 'fast-check'
import { visibleJson, visibleLines, visiblePieces, visibleText } from 'troupe/view'
import { describe, expect, test } from 'vitest'

/** By code, so that this list is no copy of the expression under test. Sources: UAX #9, UAX #14, UAX #44. */
const hidden: Readonly<Record<string, readonly (readonly [from: number, to: number])[]>> = {
  'controls C0, DEL, C1': [
    [0x00, 0x08],
    [0x0b, 0x1f],
    [0x7f, 0x9f],
  ],
  'bidi controls': [
    [0x200e, 0x200f],
    [0x202a, 0x202e],
    [0x2066, 0x2069],
    [0x061c, 0x061c],
  ],
  'zero width': [
    [0x200b, 0x200d],
    [0x2060, 0x206f],
    [0xfeff, 0xfeff],
    [0x180e, 0x180e],
  ],
  'soft hyphen, joiners, fillers': [
    [0x00ad, 0x00ad],
    [0x034f, 0x034f],
    [0x115f, 0x1160],
    [0x3164, 0x3164],
    [0xffa0, 0xffa0],
    [0x2800, 0x2800],
  ],
  'line separators': [[0x2028, 0x2029]],
  'variation selectors': [
    [0xfe00, 0xfe0f],
    [0xe0100, 0xe01ef],
  ],
  tags: [[0xe0000, 0xe007f]],
  'lone surrogates': [[0xd800, 0xdfff]],
  'spaces that look like a space': [
    [0xa0, 0xa0],
    [0x2000, 0x200a],
    [0x202f, 0x202f],
    [0x205f, 0x205f],
  ],
}

const dangerous = Object.values(hidden).flatMap((ranges) =>
  ranges.flatMap(([from, to]) => Array.from({ length: to - from + 1 }, (_, index) => from + index)),
)
const isHidden = new Set(dangerous)

/** Texts of hidden characters, brackets and digits of marks, and any others. */
const texts = fc
  .array(
    fc.oneof(
      fc.constantFrom(...dangerous).map((code) => String.fromCodePoint(code)),
      fc.constantFrom('⟨', '⟩', 'U+', '202E', '⟨U+202E⟩', '\\u202e', '\\', '"', '\n', '\t', ' ', 'a'),
      fc.string({ unit: 'binary' }),
    ),
  )
  .map((parts) => parts.join(''))

function codesOf(text: string): readonly number[] {
  return Array.from(text, (character) => character.codePointAt(0) ?? 0)
}

/** Reads the marks back, as a reader does. */
function readBack(shown: string): string {
  return shown.replace(/⟨U\+([0-9A-F]+)⟩/g, (_, code: string) =>
    String.fromCodePoint(Number.parseInt(code, 16)),
  )
}

describe.each(Object.entries(hidden))('%s', (_name, ranges) => {
  test('are marks', () => {
    for (const [from, to] of ranges) {
      for (let code = from; code <= to; code++) {
        const hex = code.toString(16).toUpperCase().padStart(4, '0')
        expect(visibleText(`a${String.fromCodePoint(code)}b`)).toBe(`a⟨U+${hex}⟩b`)
      }
    }
  })
})

test('words, emoji, and letters of any script are as they are', () => {
  const text = 'Zahle 5 € an „Müller“ – 支払う 🎉 سلام שלום e\u0301'
  expect(visibleText(text)).toBe(text)
})

test('no hidden character is left', () => {
  fc.assert(
    fc.property(texts, (text) => {
      expect(codesOf(visibleText(text)).filter((code) => isHidden.has(code) || code < 0x20)).toEqual([])
      expect(codesOf(visibleLines(text)).filter((code) => isHidden.has(code))).toEqual([])
      expect(codesOf(visibleJson(text)).filter((code) => isHidden.has(code) || code < 0x20)).toEqual([])
    }),
  )
})

test('two texts never look alike: each is read back from what is shown', () => {
  fc.assert(
    fc.property(texts, (text) => {
      // Two surrogates that only the mark between them kept apart are joined by reading back: compare their units.
      const units = (of: string): string =>
        Array.from({ length: of.length }, (_, at) => of.charCodeAt(at)).join()
      expect(units(readBack(visibleText(text)))).toBe(units(text))
      expect(units(readBack(visibleLines(text)))).toBe(units(text))
      expect(
        visiblePieces(text)
          .map((piece) => piece.text)
          .join(''),
      ).toBe(visibleLines(text))
    }),
  )
})

test('pieces set marks apart, and a text that looks like a mark is none', () => {
  expect(visiblePieces('pay\u202e001 ⟨U+202E⟩')).toEqual([
    { text: 'pay', isMark: false },
    { text: '⟨U+202E⟩', isMark: true },
    { text: '001 ', isMark: false },
    { text: '⟨U+27E8⟩', isMark: true },
    { text: 'U+202E⟩', isMark: false },
  ])
})

test('JSON parses to the same value, with and without an indent', () => {
  fc.assert(
    fc.property(
      fc.dictionary(texts, fc.oneof(texts, fc.array(texts), fc.integer())),
      fc.boolean(),
      (value, wide) => {
        const shown = visibleJson(value, wide ? 2 : undefined)
        expect(JSON.stringify(JSON.parse(shown))).toBe(JSON.stringify(value))
        expect(codesOf(shown).filter((code) => isHidden.has(code))).toEqual([])
      },
    ),
  )
  expect(visibleJson(undefined)).toBe('undefined')
})
