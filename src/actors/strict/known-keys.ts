/** Finds unknown keys of objects from outside, and the known keys that they were probably meant to be. */
import { plainName, type Hint } from './plain-name.ts'

/**
 * The first key that is not among `known`. Enumerable keys count, own and inherited, symbols among them; methods and
 * accessors of a class are not enumerable and do not.
 */
export function unknownKeyOf(given: object, known: readonly string[]): string | symbol | undefined {
  for (const key in given) if (!known.includes(key) && isGiven(given, key)) return key
  return Object.getOwnPropertySymbols(given).find((key) =>
    Object.prototype.propertyIsEnumerable.call(given, key),
  )
}

/** Whether an object has a field, or its class has; a field that was put on `Object.prototype` is no option. */
export function isGiven(given: object, name: string): boolean {
  return name in given && (Object.hasOwn(given, name) || !(name in Object.prototype))
}

/**
 * For example: `there is no option "baseUrl"; did you mean "baseURL"? Known: api, apiKey, baseURL.` `hint`: says of a key,
 * in the place of the list, where it belongs, unless it differs in case alone from one that is known.
 */
export function unknownKeyText(
  key: string | symbol,
  known: readonly string[],
  word: 'option' | 'field' | 'pattern' | 'task type' | 'source' | 'event' | 'name' | 'parameter',
  hint?: Hint,
): string {
  const list = `Known: ${[...new Set(known)].join(', ')}.`
  if (typeof key === 'symbol') return `there is no ${word} ${String(key)}. ${list}`
  const isSame = known.some((name) => plainName(name) === plainName(key))
  const said = isSame || key.length > longestName ? undefined : hint?.(key, known)
  const near = said === undefined ? nearestOf(key, known) : undefined
  const meant = near === undefined ? '.' : `; did you mean ${JSON.stringify(near)}?`
  const named = JSON.stringify(shortened(key))
  // The list would bury what was said.
  return said === undefined
    ? `there is no ${word} ${named}${meant} ${list}`
    : `there is no ${word} ${named}: ${said}.`
}

const longestName = 60

function shortened(text: string): string {
  return text.length > longestName ? `${text.slice(0, longestName)}…` : text
}

/** The known name with the fewest edits, if these are at most two in five letters, or one begins with the other. */
function nearestOf(name: string, known: readonly string[]): string | undefined {
  if (name.length > longestName) return undefined
  let best: { readonly name: string; readonly edits: number } | undefined
  for (const candidate of known) {
    const [a, b] = [name.toLowerCase(), candidate.toLowerCase()]
    const edits = editsBetween(a, b)
    const isNear = edits * 5 <= Math.max(a.length, b.length) * 2 || isStem(a, b) || isStem(b, a)
    if (isNear && (best === undefined || edits < best.edits)) best = { name: candidate, edits }
  }
  return best?.name
}

function isStem(stem: string, word: string): boolean {
  return stem.length > 2 && word.startsWith(stem)
}

/** The Levenshtein distance: letters to insert, to delete or to replace. */
function editsBetween(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (const [i, letter] of a.split('').entries()) {
    const next = [i + 1]
    for (const [j, other] of b.split('').entries()) {
      const replaced = (row[j] ?? 0) + (letter === other ? 0 : 1)
      next.push(Math.min(replaced, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1))
    }
    row = next
  }
  return row.at(-1) ?? 0
}
