/** The texts of foreign errors: they are read with care, cut, and without credentials. */
import { withoutCredentials } from './credentials.ts'

export function read(object: object, key: string): unknown {
  try {
    return Reflect.get(object, key)
  } catch {
    return undefined // a getter of a foreign error may throw; an error must never hide behind another
  }
}

export function show(value: unknown): string {
  if (typeof value === 'string') return value
  try {
    return JSON.stringify(value) ?? typeof value
  } catch {
    return Object.prototype.toString.call(value)
  }
}

/** The most characters of a text of an error. */
const mostCharacters = 20_000

/** How far from there a text may be cut, so that no word is cut in two: a half of a credential would be shown. */
const longestWord = 4_000

/** A text of a foreign error without credentials. It is cut before it is searched. */
export function shown(text: string): string {
  return withoutCredentials(cut(text))
}

function cut(text: string): string {
  if (text.length <= mostCharacters) return text
  const note = ` … (of ${text.length} characters)`
  const most = mostCharacters - note.length
  const end = Array.from({ length: longestWord }, (_, back) => most - back).find((at) =>
    /[\s"',;&?]/.test(text[at] ?? ''),
  )
  return text.slice(0, end ?? most).toWellFormed() + note
}

/** `1 step`, `2 steps`: a number of things, for a message. */
export function plural(count: number, word: string): string {
  if (count === 1) return `1 ${word}`
  return `${count} ${word.replace(/y$/, 'ie')}s`
}
