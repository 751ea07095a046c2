/**
 * Pages of rows that many connections number at once. A row has its number before it is committed, so that a row with a
 * higher number may be seen first. A cursor must not stand behind a row that is still to be seen: an append that numbers
 * rows holds a lock, shared with all other appends, and a page that has more behind it is read again once that lock was
 * free. Every row up to its last one is then committed.
 */
import type { Page, PageOptions } from '../../index.ts'
import { type ListName, cursorAt, pageOf } from '../../kit/index.ts'
import type { Conditions } from '../../kit/sql/index.ts'
import type { Connections } from '../connection/connections.ts'

export interface PageQuery<Row, Item> {
  readonly list: ListName
  /** `SELECT … FROM …`, with a column `id`. */
  readonly select: string
  /** The column of the numbers. */
  readonly position: string
  readonly conditions: Conditions
  readonly options: PageOptions
  readonly item: (row: Row) => Item
}

/** The number of the lock, as an expression. */
export function numberingLock(schema: string): string {
  return `hashtextextended('troupe:${schema}:numbering', 2)`
}

export async function settledPage<Row extends { readonly id: number }, Item>(
  connections: Connections,
  { list, select, position, conditions, options, item }: PageQuery<Row, Item>,
): Promise<Page<Item>> {
  const { limit, order } = options
  const read = { item, position: ({ id }: Row): number => id }
  const rowsOf = ({ sql, values }: ReturnType<Conditions['end']>): Promise<readonly Row[]> =>
    connections.query<Row>(`${select} ${sql}`, values)
  const found = await rowsOf(conditions.page(list, position, options).end())
  const last = limit === undefined || found.length <= limit ? undefined : found[limit - 1]
  // A row that is seen late is newer than a list of the newest, and no part of it.
  if (last === undefined || order === 'newest') return pageOf(list, found, limit, read)
  await connections.query(`SELECT pg_advisory_xact_lock(${numberingLock(connections.schema)})`)
  const settled = await rowsOf(conditions.upTo(position, last.id).end())
  return settled.length > Number(limit)
    ? pageOf(list, settled, limit, read)
    : { items: settled.map((row) => item(row)), next: cursorAt(list, last.id) }
}
