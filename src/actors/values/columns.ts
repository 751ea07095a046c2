/** The columns that a text takes in a terminal. */

/** A text of at most so many columns; one that is longer ends with `…`. */
export function cutToColumns(text: string, width: number): string {
  return columnsIn(text) <= width ? text : `${text.slice(0, fittingColumns(text, width - 1))}…`
}

/** The number of characters that fit into so many columns: at least one. */
export function fittingColumns(text: string, width: number): number {
  let columns = 0
  let at = 0
  for (const character of text) {
    columns += columnsOf(character)
    if (columns > width && at > 0) break
    at += character.length
  }
  return at
}

/** The columns that a text takes: two for the letters of East Asia and for pictures, none for marks on a letter. */
export function columnsIn(text: string): number {
  let columns = 0
  for (const character of text) columns += columnsOf(character)
  return columns
}

const wide =
  /[\u1100-\u115F\u2E80-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\uFFE0-\uFFE6]|\p{Extended_Pictographic}/u

/** A terminal gives two columns to the letters of East Asia, and to pictures; none to a mark that stands on a letter. */
function columnsOf(character: string): number {
  if (character <= '~') return 1
  if (/\p{M}/u.test(character)) return 0
  return wide.test(character) ? 2 : 1
}
