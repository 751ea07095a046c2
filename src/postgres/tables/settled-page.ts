/**
 * Pages of rows that many connections number at once. A row has its number before it is committed, so that a row with a
 * higher number may be seen first. A cursor must not stand behind a row that is still to be seen: an append that numbers
 * rows holds a lock, shared with all other appends, and a page that has more behind it is read again once that lock was
 * free. Every row up to its last one is then committed.
 */
import type { Page } from '../../index.ts'
import { type ListName, type ListPlace, cursorAt, pageOf } from '../../kit/index.ts'
import type { Statement } from '../../kit/sql/index.ts'
import type { Connections } from '../connection/connections.ts'

export interface PageQuery<Row, Item> {
  readonly list: ListName
  /** The statement of the page and of one row more. `upTo`: the position of the last row that counts. */
  readonly statement: (upTo?: number) => Statement
  /** The list begins with the lowest number. */
  readonly isForward: boolean
  readonly limit: number | undefined
  readonly place: (row: Row) => ListPlace
  readonly item: (row: Row) => Item
}

/** The number of the lock, as an expression. */
export function numberingLock(schema: string): string {
  return `hashtextextended('troupe:${schema}:numbering', 2)`
}

export async function settledPage<Row extends { readonly id: number }, Item>(
  connections: Connections,
  { list, statement, isForward, limit, place, item }: PageQuery<Row, Item>,
): Promise<Page<Item>> {
  const read = { item, place }
  const rowsOf = ({ sql, values }: Statement): Promise<readonly Row[]> => connections.query<Row>(sql, values)
  const found = await rowsOf(statement())
  const last = limit === undefined || found.length <= limit ? undefined : found[limit - 1]
  // A row that is seen late is newer than a list of the newest, and no part of it.
  if (last === undefined || !isForward) return pageOf(list, found, limit, read)
  await connections.query(`SELECT pg_advisory_xact_lock(${numberingLock(connections.schema)})`)
  const settled = await rowsOf(statement(last.id))
  return settled.length > Number(limit)
    ? pageOf(list, settled, limit, read)
    : { items: settled.map((row) => item(row)), next: cursorAt(list, place(last)) }
}
