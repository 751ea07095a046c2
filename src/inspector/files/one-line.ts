/** Values as one line of text, for lists. */

/** Characters of a line. */
const longest = 200

/** Cuts a text to one line of at most 200 characters; white space becomes single spaces. */
export function oneLine(text: string): string {
  const line = text
    .slice(0, 4 * longest)
    .replaceAll(/\s+/g, ' ')
    .trim()
  return line.length <= longest && text.length <= 4 * longest
    ? line.toWellFormed()
    : `${line.slice(0, longest - 1).toWellFormed()}…`
}

/** A value as one line: a text as it is, anything else as JSON. */
export function lineOf(value: unknown): string {
  if (value === undefined) return ''
  return oneLine(typeof value === 'string' ? value : JSON.stringify(value))
}
