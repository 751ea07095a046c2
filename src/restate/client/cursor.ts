/** Cursors of lists that Restate orders by a time and an id. */
import { ConfigurationError } from '../../errors.ts'
import { aText, oneOf, positiveInteger } from '../../actors/strict/checks.ts'
import { optional, show, type Fields } from '../../actors/strict/read-options.ts'
import type { PageOptions } from '../../runtime/journal/run-index.ts'

/** The place of an item in a list: items are in the order of time, then of id. */
export interface Place {
  readonly at: string
  readonly id: string
}

export function cursorOf({ at, id }: Place): string {
  return encodeURIComponent(JSON.stringify([at, id]))
}

/** Throws a `ConfigurationError` for a text that is no cursor. */
export function placeOf(cursor: string, where = 'before'): Place {
  const refused = new ConfigurationError(`${where} must be the \`next\` of a page, not ${show(cursor)}.`)
  let parsed: unknown
  try {
    parsed = JSON.parse(decodeURIComponent(cursor))
  } catch {
    throw refused
  }
  if (!Array.isArray(parsed) || parsed.length !== 2) throw refused
  const [at, id] = parsed as readonly unknown[]
  if (typeof at !== 'string' || typeof id !== 'string') throw refused
  return { at, id }
}

export const pageFields: Fields<PageOptions> = {
  limit: optional(positiveInteger),
  before: optional((given, where) => {
    const cursor = aText(given, where) as string
    placeOf(cursor, where)
    return cursor
  }),
  order: optional(oneOf('oldest', 'newest')),
}
