/**
 * Names that users choose, as SQLite can keep them: it would drop half of a surrogate pair and stop at a NUL. Usual
 * names stay as they are, so that the file can be read with other tools.
 */
export function toColumn(text: string): string {
  return JSON.stringify(text).slice(1, -1)
}

/** A text of a column as it was before. */
export function fromColumn(column: string): string {
  return JSON.parse(`"${column}"`) as string
}

/** As `toColumn`, for a text that may be absent. */
export function toOptionalColumn(text: string | undefined): string | null {
  return text === undefined ? null : toColumn(text)
}
