/** The text of rows, searched as a person types. */
import type { Row } from '../../wire/rows.ts'

export class Search {
  readonly #rows: readonly Row[]
  /** By row, as far as they were searched. */
  readonly #texts: string[] = []
  #last: { readonly words: string; readonly searched: number; readonly hits: readonly number[] } | undefined

  constructor(rows: readonly Row[]) {
    this.#rows = rows
  }

  /** The rows that hold all words of the text, in order, by any of their words; none for an empty text. */
  find(text: string): readonly number[] {
    const words = text.trim().toLowerCase()
    if (words === '') return []
    for (const row of this.#rows.slice(this.#texts.length)) this.#texts.push(textOf(row))
    const known = this.#last?.words === words ? this.#last : undefined
    const each = words.split(/\s+/)
    const hits = [...(known?.hits ?? [])]
    for (let row = known?.searched ?? 0; row < this.#texts.length; row++)
      if (each.every((word) => this.#texts[row]?.includes(word))) hits.push(row)
    this.#last = { words, searched: this.#texts.length, hits }
    return hits
  }
}

/** All that a row shows of itself, in lower case. */
function textOf({ row, type, path, key, kind, error, line, events, transitions }: Row): string {
  const states = transitions.flatMap(({ to, guard }) => (guard === undefined ? [to] : [to, guard]))
  const happened = events.flatMap((event) => [event.type, event.line])
  return [row, type, path, key, kind, error, line, ...happened, ...states].join('\n').toLowerCase()
}
