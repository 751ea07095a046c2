/** Texts of runs in one line. */
import { visibleText } from '../../kit/index.ts'

/** Characters of a line. */
const longest = 200

/** Cuts a text to one line of at most 200 characters; white space becomes single spaces, what is not seen a mark. */
export function oneLine(text: string): string {
  return visibleText(cut(text))
}

/** A value as one line, for a part of another line: a text as it is, anything else as JSON. It has no marks yet. */
export function lineOf(value: unknown): string {
  if (value === undefined) return ''
  return cut(typeof value === 'string' ? value : JSON.stringify(value))
}

function cut(text: string): string {
  const line = text
    .slice(0, 4 * longest)
    .replaceAll(/[ \t\n\r]+/g, ' ')
    .trim()
  if (line.length <= longest && text.length <= 4 * longest) return line
  return `${line.slice(0, longest - 1).replace(/[\uD800-\uDBFF]$/, '')}…`
}
