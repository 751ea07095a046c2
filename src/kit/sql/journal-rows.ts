/** A journal as rows of SQL. */

/** A row of the entries from a position on, or the one row of a run that has none there. */
export interface JournalRow {
  /** The number of entries of the run. */
  readonly total: number
  /** NULL: the run has no entry from the position on that was asked for. */
  readonly seq: number | null
  readonly entry: string | null
}

/** A row that holds an entry. */
export type EntryRow<Row extends JournalRow> = Row & { readonly seq: number; readonly entry: string }

/**
 * The rows of the entries from a position on; `undefined`: there is no such run. `damaged` gives the error for entries that
 * are not there.
 */
export function entryRows<Row extends JournalRow>(
  rows: readonly Row[],
  runId: string,
  from: number,
  damaged: (finding: string) => Error,
): readonly EntryRow<Row>[] | undefined {
  const total = rows[0]?.total
  if (total === undefined) return undefined
  const found = rows.filter((row): row is EntryRow<Row> => row.entry !== null)
  const isWhole =
    found.length === Math.max(0, total - from) && found.every(({ seq }, index) => seq === from + index)
  if (isWhole) return found
  const expected = `entries ${from} to ${total - 1} were expected, ${found.length} are there.`
  throw damaged(`the journal of the run "${runId}" has holes: ${expected}`)
}
