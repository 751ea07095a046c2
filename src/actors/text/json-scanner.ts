/** Reads a JSON object or list character by character, and tells where it ends or is broken, in linear time. */

/** Deeper values are not read: `toJsonValue` would refuse them. */
const deepest = 1_000

/** What may come next. */
type Expected = 'value' | 'valueOrEnd' | 'keyOrEnd' | 'key' | 'colon' | 'commaOrEnd'

export type Scan =
  /** A JSON value, up to and without `next`. */
  | { readonly type: 'value'; readonly next: number }
  /** No JSON, such as `[note]` or `{x}`: JSON may begin from `next` on. */
  | { readonly type: 'words'; readonly next: number }
  /** It began as JSON and is broken, or has no end. What stands within is a part of it, and no value of its own. */
  | { readonly type: 'broken'; readonly next: number }

/** `start`: the position of a `{` or `[`. */
export function scanJson(text: string, start: number): Scan {
  return new Scanner(text, start).scan()
}

class Scanner {
  readonly #text: string
  readonly #start: number
  readonly #open: string[] = []
  #at: number
  #expected: Expected = 'value'
  /** A field has its name, or a list its first item. Before that it may be words in brackets. */
  #isMeant = false

  constructor(text: string, start: number) {
    this.#text = text
    this.#start = start
    this.#at = start
  }

  scan(): Scan {
    for (;;) {
      this.#at = endOfSpace(this.#text, this.#at)
      const fault = this.#take(this.#text[this.#at])
      if (fault !== undefined) return fault
      if (this.#open.length === 0) return { type: 'value', next: this.#at }
    }
  }

  #take(character: string | undefined): Scan | undefined {
    switch (character) {
      case undefined:
        return this.#fault()
      case '{':
      case '[':
        return this.#begin(character)
      case '}':
      case ']':
        return this.#end(character)
      case ':':
        return this.#expected === 'colon' ? this.#step('value') : this.#fault()
      case ',':
        if (this.#expected !== 'commaOrEnd') return this.#fault()
        return this.#step(this.#open.at(-1) === '{' ? 'key' : 'value')
      case '"':
        return this.#string()
      default:
        return this.#scalar()
    }
  }

  #step(expected: Expected): undefined {
    this.#at++
    this.#expected = expected
  }

  #begin(bracket: '{' | '['): Scan | undefined {
    if (!this.#isValueExpected || this.#open.length === deepest) return this.#fault()
    this.#open.push(bracket)
    return this.#step(bracket === '{' ? 'keyOrEnd' : 'valueOrEnd')
  }

  #end(bracket: '}' | ']'): Scan | undefined {
    const [opened, empty] = bracket === '}' ? (['{', 'keyOrEnd'] as const) : (['[', 'valueOrEnd'] as const)
    const isDue = this.#expected === 'commaOrEnd' || this.#expected === empty
    if (!isDue || this.#open.at(-1) !== opened) return this.#fault()
    this.#open.pop()
    this.#isMeant = true
    return this.#step('commaOrEnd')
  }

  /** The name of a field, or a text. */
  #string(): Scan | undefined {
    const isKey = this.#expected === 'key' || this.#expected === 'keyOrEnd'
    if (!isKey && !this.#isValueExpected) return this.#fault()
    const end = endOfString(this.#text, this.#at)
    return this.#token(end, isKey ? 'colon' : 'commaOrEnd')
  }

  #scalar(): Scan | undefined {
    return this.#isValueExpected
      ? this.#token(endOfScalar(this.#text, this.#at), 'commaOrEnd')
      : this.#fault()
  }

  /** `end`: where the token ends; `undefined`: it is none. */
  #token(end: number | undefined, next: 'colon' | 'commaOrEnd'): Scan | undefined {
    if (end === undefined) return this.#fault()
    this.#isMeant ||= (next === 'colon' ? ':' : ',]').includes(this.#text[endOfSpace(this.#text, end)] ?? ' ')
    if (!this.#isMeant) return this.#fault()
    this.#at = end
    this.#expected = next
    return undefined
  }

  get #isValueExpected(): boolean {
    return this.#expected === 'value' || this.#expected === 'valueOrEnd'
  }

  /** Words go on behind the character at fault, JSON that is broken behind its last bracket. */
  #fault(): Scan {
    if (this.#isMeant) return { type: 'broken', next: endOfBroken(this.#text, this.#at, this.#open.length) }
    const isBracket = '{['.includes(this.#text[this.#at] ?? ' ')
    return { type: 'words', next: isBracket && this.#at > this.#start ? this.#at : this.#at + 1 }
  }
}

function endOfSpace(text: string, from: number): number {
  let at = from
  while (' \n\r\t'.includes(text[at] ?? 'x')) at++
  return at
}

/** Behind the closing quote; `undefined`: there is none, or JSON does not allow a character. */
function endOfString(text: string, from: number): number | undefined {
  for (let at = from + 1; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === quote) return at + 1
    if (code < space) return undefined
    if (code === backslash) {
      const end = endOfEscape(text, at + 1)
      if (end === undefined) return undefined
      at = end - 1
    }
  }
  return undefined
}

const [quote, backslash, space] = [0x22, 0x5c, 0x20]

function endOfEscape(text: string, at: number): number | undefined {
  if ('"\\/bfnrt'.includes(text[at] ?? 'x')) return at + 1
  return /^u[\da-f]{4}$/i.test(text.slice(at, at + 5)) ? at + 5 : undefined
}

/** Behind a number or a word of JSON. */
function endOfScalar(text: string, from: number): number | undefined {
  const scalar = /(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)/y
  scalar.lastIndex = from
  return scalar.test(text) ? scalar.lastIndex : undefined
}

/** Behind the brackets that were open at `from`; texts within may hold others. */
function endOfBroken(text: string, from: number, depth: number): number {
  let open = depth
  let isInText = false
  for (let at = from; at < text.length; at++) {
    const character = text[at]
    if (isInText && character === '\\') at++
    else if (character === '"') isInText = !isInText
    else if (isInText) continue
    else if (character === '{' || character === '[') open++
    else if ((character === '}' || character === ']') && --open === 0) return at + 1
  }
  return text.length
}
