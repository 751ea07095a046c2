/** Cursors of lists that Restate orders by a time and an id. */
import { aText, oneOf, positiveInteger } from '../../actors/strict/checks.ts'
import { optional, type Fields } from '../../actors/strict/read-options.ts'
import { wrongCursor, type ListName, type PageOptions } from '../../runtime/journal/run-index.ts'

/** The place of an item in a list: items are in the order of time, then of id. */
export interface Place {
  readonly at: string
  readonly id: string
}

/** A cursor names its list, so that the cursor of another list is refused. */
export function cursorOf(list: ListName, { at, id }: Place): string {
  return encodeURIComponent(JSON.stringify([list, at, id]))
}

/** Throws a `ConfigurationError` for a text that is no cursor of this list. */
export function placeOf(list: ListName, cursor: string, where = 'before'): Place {
  const refused = wrongCursor(list, cursor, where)
  let parsed: unknown
  try {
    parsed = JSON.parse(decodeURIComponent(cursor))
  } catch {
    throw refused
  }
  if (!Array.isArray(parsed) || parsed.length !== 3) throw refused
  const [name, at, id] = parsed as readonly unknown[]
  if (name !== list || typeof at !== 'string' || typeof id !== 'string') throw refused
  return { at, id }
}

export const pageFields = (list: ListName): Fields<PageOptions> => ({
  limit: optional(positiveInteger),
  before: optional((given, where) => {
    const cursor = aText(given, where) as string
    placeOf(list, cursor, where)
    return cursor
  }),
  order: optional(oneOf('oldest', 'newest')),
})
