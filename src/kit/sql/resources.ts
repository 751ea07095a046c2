/** The resources that have threads, messages in other threads, or notes, in SQL. */
import { resourceCursor, type MemoryResource } from '../../runtime/journal/memory-storage.ts'
import type { Page } from '../../runtime/journal/run-index.ts'
import { fromColumn } from './column-text.ts'
import type { Dialect } from './conditions.ts'

/** A row of the list. */
export interface ResourceRow {
  readonly resource_id: string
  /** Postgres gives a count as a text. */
  readonly threads: number | string
  readonly noted_at: number | null
}

interface Tables {
  readonly threads: string
  readonly messages: string
  readonly workingMemory: string
}

/** The statement. Its parameters: three times the resource before the page, and the most rows. */
export function resourcesSql({ threads, messages, workingMemory }: Tables, parameter: Dialect): string {
  const among = (table: string, number: number): string =>
    `SELECT resource_id FROM ${table} WHERE resource_id > ${parameter(number, 'text')}`
  return `SELECT resource_id,
      (SELECT count(*) FROM ${threads} AS threads WHERE threads.resource_id = found.resource_id) AS threads,
      (SELECT updated_at FROM ${workingMemory} AS notes WHERE notes.resource_id = found.resource_id) AS noted_at
    FROM (${among(threads, 1)} UNION ${among(messages, 2)} UNION ${among(workingMemory, 3)}) AS found
    ORDER BY resource_id LIMIT ${parameter(4, 'bigint')}`
}

/** The page of rows, of which there is one more than `limit` where the list goes on. */
export function resourcePage(rows: readonly ResourceRow[], limit: number | undefined): Page<MemoryResource> {
  const items = rows.slice(0, limit).map(({ resource_id, threads, noted_at }) => ({
    resourceId: fromColumn(resource_id),
    threads: Number(threads),
    ...(noted_at === null ? {} : { notedAt: noted_at }),
  }))
  const last = items.at(-1)
  return last === undefined || items.length === rows.length
    ? { items }
    : { items, next: resourceCursor(last.resourceId) }
}
